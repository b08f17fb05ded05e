import BenchmarkSupport
import BleperaSimulation

// Measures a day of a phone whose app is moved to the background, woken, terminated and restored every minute, on the
// virtual clock. The day runs twice, and the traces must be equal.

let lock = BluetoothUUID(0x1815 as UInt16)
let command = BluetoothUUID(0x2A56 as UInt16)
let status = BluetoothUUID(0x2A57 as UInt16)
let definition = AppDefinition(
  "org.example.lock", restoreIdentifier: "lock", localName: "Lock",
  services: [
    ServiceDefinition(
      uuid: lock,
      characteristics: [
        CharacteristicDefinition(uuid: command, properties: [.write], permissions: [.writeable]),
        CharacteristicDefinition(uuid: status, properties: [.read, .notify], permissions: [.readable]),
      ])
  ], read: { _ in .success([7]) })

func day(minutes: Int) async throws -> [String] {
  let air = Air(on: .virtual, seed: 1) { fatalError("\($0)") }
  let phone = Phone(on: air)
  let central = Central(on: air)
  let app = phone.launch(definition)
  try await central.connect(to: phone)
  try await central.subscribe(to: status)
  for minute in 1...minutes {
    phone.moveToForeground()
    phone.moveToBackground()
    await air.advance(by: .seconds(20))
    try await central.write([1], to: command)
    await air.advance(by: .seconds(20))
    phone.terminate(.memoryPressure)
    _ = try await central.read(status)
    guard app.restored.subscribers == [central] else { fatalError("minute \(minute): the subscriber is not restored") }
    app.update(status, to: [UInt8(truncatingIfNeeded: minute)])
    await air.advance(to: .seconds(60) * minute)
  }
  return air.trace
}

var traces: [[String]] = []
var times: [Double] = []
for _ in 0..<2 { times.append(try await processorTime { traces.append(try await day(minutes: 24 * 60)) }.seconds) }
guard traces[0] == traces[1] else { fatalError("the second day ran differently") }
report("day", ["time": times.min() ?? 0, "lines": Double(traces[0].count)])

let scanners = Scanners()
var discoveries = 0
let time = try await processorTime { discoveries = try await scanners.run() }.seconds
guard discoveries == scanners.phones * scanners.accessories else { fatalError("\(discoveries) discoveries") }
report("scanners", ["simulated": scanners.duration.seconds, "time": time])
