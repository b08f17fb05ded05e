import BleperaTesting
import Testing

@testable import BleperaSimulation

@Suite("What a story leaves behind", .timeLimit(.minutes(5)))
struct ReleaseTests {
  private static let profile = """
    {
      CFBundleIdentifier = org.example.lamp;
      BLEPeripheral = { Advertisement = {}; Services = ({ UUID = FFF0; Characteristics = ({ UUID = FFF1; Properties = (read); Permissions = (readable); }); }); };
    }
    """

  @Test("An air that is closed is released with its phones, apps and centrals", arguments: [true, false])
  func release(isConnected: Bool) async throws {
    weak var released: Air?
    do {
      let air = Air(on: .virtual) { _ in }
      let phone = Phone(on: air)
      let central = Central(on: air)
      phone.launch(try AppDefinition(profile: Array(Self.profile.utf8)))
      if isConnected { try await central.connect(to: phone) }
      await air.close()
      released = air
    }
    #expect(released == nil)
  }
}
