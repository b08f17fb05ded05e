import BenchmarkSupport
import BleperaSimulation

/// Measures the launch of an app with many services and, after its termination, the restoration by a read.
func measureRestoration(services: Int) async throws {
  let status = BluetoothUUID(0xFFF0 as UInt16)
  let definition = AppDefinition(
    "org.example.large", restoreIdentifier: "large", localName: "Large", advertising: [BluetoothUUID(0 as UInt16)],
    services: (0..<services).map { number in
      let uuid = number == 0 ? status : BluetoothUUID(0x1_0000 + UInt32(number))
      return ServiceDefinition(
        uuid: BluetoothUUID(UInt16(number)),
        characteristics: [CharacteristicDefinition(uuid: uuid, properties: [.read, .notify], permissions: [.readable])])
    }, read: { _ in .success([7]) })
  var times: (launch: [Double], restoration: [Double]) = ([], [])
  for _ in 0..<3 {
    let air = Air(on: .virtual, seed: 1) { fatalError("\($0)") }
    let phone = Phone(on: air)
    let central = Central(on: air)
    var app: App?
    times.launch.append(await processorTime { app = phone.launch(definition) }.seconds * 1000)
    // A connection event for each service, in virtual time.
    try await central.connect(to: phone, within: .seconds(1000))
    try await central.subscribe(to: status)
    phone.moveToBackground()
    await air.advance(by: .seconds(20))
    phone.terminate(.memoryPressure)
    times.restoration.append(try await processorTime { _ = try await central.read(status) }.seconds * 1000)
    guard app?.restored.services.count == services else { fatalError("not all services are restored") }
    await air.close()
  }
  let figures = Double(services)
  report("launch on the virtual air", ["services": figures, "time": median(times.launch)])
  report("restoration on the virtual air", ["services": figures, "time": median(times.restoration)])
}
