import BleperaSimulation

// A day of a phone whose app is moved to the background, woken, terminated and restored every minute, on the virtual
// clock. Played twice: the traces have to be equal, also between processes.

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

/// FNV-1a of 64 bits.
func digest(_ lines: [String]) -> UInt64 {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in lines.joined(separator: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  return hash
}

let start = ContinuousClock.now
let first = try await day(minutes: 24 * 60)
let elapsed = ContinuousClock.now - start
guard try await day(minutes: 24 * 60) == first else { fatalError("the second day ran differently") }
print("24 hours in \(elapsed), \(first.count) lines, FNV-1a \(String(digest(first), radix: 16)), the same twice.")
