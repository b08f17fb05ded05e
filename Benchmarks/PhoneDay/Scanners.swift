import BleperaSimulation

/// Phones that are locked and whose apps scan in the background, and accessories that advertise.
struct Scanners {
  let phones = 100
  let accessories = 100
  let duration = Duration.seconds(3600)

  /// Returns the number of peripherals that all apps have discovered.
  func run() async throws -> Int {
    let air = Air(on: .virtual, seed: 1) { fatalError("\($0)") }
    let services = [ServiceDefinition(uuid: lock, characteristics: [])]
    let peripherals = (0..<accessories).map {
      Accessory(on: air, named: "accessory \($0)", services: services, interval: .milliseconds(1022))
    }
    let profile = """
      { CFBundleIdentifier = "org.example.scanner"; UIBackgroundModes = (bluetooth-central);
        BLECentral = { ScanServices = (1815); RestoreIdentifier = scanner; }; }
      """
    for number in 0..<phones {
      let phone = Phone(on: air, named: "phone \(number)")
      phone.launch(try AppDefinition(profile: Array(profile.utf8)))
      phone.lock()
    }
    await air.advance(by: duration)
    return withExtendedLifetime(peripherals) { air.trace.count { $0.contains("  discovered ") } }
  }
}
