import BleperaTesting
import CoreBluetooth
import Testing

/// An app of several managers is relaunched, and each of them is restored.
extension StoryTests {
  private static let light = BluetoothUUID("2A58")!

  /// The launches of an app, and the restoration identifiers that each was launched for.
  private struct Managers {
    let air = Air()
    let launches = Launches<[Recorder]>()
    let identifiers = Launches<[String]>()

    /// Launches the app, and terminates it in the background after a central has connected.
    func run(_ make: @escaping @MainActor @Sendable () -> [Recorder]) async throws -> Central {
      let phone = Phone(on: air)
      phone.launch { [launches, identifiers] in
        _ = identifiers.keep(ProcessInfo.processInfo.bluetoothPeripherals ?? ["user"])
        return launches.keep(make())
      }
      let central = Central(on: air)
      try await central.connect(to: phone)
      phone.moveToBackground()
      phone.terminate(.memoryPressure)
      return central
    }
  }

  @Test("is relaunched for its second manager, and the event waits until that one is restored")
  func secondManager() async throws {
    let story = Managers()
    let central = try await story.run {
      [Recorder(restores: "doors"), Recorder(restores: "lights", command: CBUUID(string: "2A58"))]
    }
    try await central.write([4], to: Self.light)
    #expect(story.launches.count == 2)
    #expect(story.launches.last[0].lines == ["restore 1 Recorder", "state 5"])
    #expect(story.launches.last[1].lines == ["restore 1 Recorder", "state 5", "write 0:1"])
  }

  @Test("has a first manager without restoration identifier, and the second one is restored")
  func plainManager() async throws {
    let story = Managers()
    let central = try await story.run {
      [Recorder(restores: nil), Recorder(restores: "lights", command: CBUUID(string: "2A58"))]
    }
    try await central.write([4], to: Self.light)
    #expect(story.identifiers.last == ["lights"])
    #expect(story.launches.last[0].lines == ["state 5", "added 1815 -1", "advertising -1"])
    #expect(story.launches.last[1].lines == ["restore 1 Recorder", "state 5", "write 0:1"])
  }

  @Test("is launched for the managers that have published or advertise")
  func idleManager() async throws {
    let story = Managers()
    let central = try await story.run { [Recorder(restores: "doors"), Idle(restores: "idle")] }
    try await central.write([4], to: BluetoothUUID("2A56")!)
    #expect(story.identifiers.last == ["doors"])
    #expect(story.launches.last[1].lines.isEmpty)
  }

  @Test("has two managers of each role, which are restored after a kill, and after a reboot")
  func fourManagers() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let launches = Launches<([Recorder], [Explorer])>()
    let app = phone.launch {
      launches.keep(
        (
          [Recorder(restores: "doors"), Recorder(restores: "lights", command: CBUUID(string: "2A58"))],
          // A peripheral manager and a central manager may have one identifier.
          [
            Explorer([CBUUID(string: "180D")], restores: "strap"),
            Explorer([CBUUID(string: "1809")], restores: "doors"),
          ]
        ))
    }
    await air.advance(by: .seconds(30))
    let central = Central(on: air)
    try await central.connect(to: phone)
    phone.moveToBackground()
    let restored = ["restore 1 Recorder", "state 5"]
    let managed = [[#"restore ["2 1 1"], scan []"#, "state 5"], [#"restore [], scan ["1809"]"#, "state 5"]]

    phone.terminate(.crash, app)
    try await central.write([4], to: Self.light)
    #expect(launches.count == 2)
    #expect(launches.last.0.map { $0.lines } == [restored, restored + ["write 0:1"]])
    #expect(launches.last.1.map { $0.take() } == managed)
    strap.set(Self.measurement, to: [7])
    await air.advance(by: .seconds(1))
    #expect(launches.last.1.map { $0.take() } == [["value 2A37 [7]"], []])

    phone.reboot()
    phone.unlock()
    await air.advance(by: .seconds(30))
    try await central.connect(to: phone)
    try await central.write([5], to: Self.light)
    #expect(launches.count == 3)
    #expect(launches.last.0.map { $0.lines } == [restored, restored + ["write 0:1"]])
    // Its connection is one that the phone waits for, and has meanwhile made again.
    let explorers = launches.last.1.map { $0.take().prefix(2) }
    #expect(explorers.map { $0.first?.hasPrefix("restore") } == [true, true] && explorers[1] == managed[1][...])
  }
}

/// Publishes nothing.
private final class Idle: Recorder, @unchecked Sendable {
  override func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}
