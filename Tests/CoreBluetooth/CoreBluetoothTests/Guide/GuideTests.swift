import BleperaTesting
import CoreBluetooth
import Testing

@Suite("The guide for iOS developers", .traced, .serialized)
struct GuideTests {
  private static func text(_ path: String) throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("Its app, its test, and the line that makes the test pass, are those of this folder")
  func page() throws {
    let page = try Self.text("../../../../docs/guide-ios.md")
    let found = "  #expect(await gateway.discovers(.overflow(service), within: .seconds(3)))\n"
    let missed = found.replacingOccurrences(of: ".overflow", with: ".service")
    let story = try Self.text("SensorStories.swift").replacingOccurrences(of: found, with: missed)
      .replacingOccurrences(of: "import Testing\n", with: "import Testing\n\n@testable import SensorApp\n")
    for code in [try Self.text("Sensor.swift"), story, found] {
      let isShown = page.contains("```swift\n\(code)```")
      #expect(isShown, "\(code)")
    }
  }

  @Test("Who filters by the UUID does not find its app in the background, nor without the background mode")
  func background() async throws {
    let (air, service) = (Air(), try #require(BluetoothUUID(Sensor.service)))
    let (phone, gateway) = (Phone(on: air), Central(on: air, named: "gateway"))
    let owner = Central(on: air, named: "owner", as: .iPhoneApp())
    let app = phone.launch("org.example.sensor") { Sensor() }
    phone.moveToBackground()
    #expect(await !gateway.discovers(.service(service), within: .seconds(3)))
    #expect(await owner.discovers(.overflow(service), within: .seconds(10)))
    phone.forceQuit(app)
    phone.launch("org.example.other", backgroundModes: []) { Sensor() }
    #expect(await gateway.discovers(.service(service), within: .seconds(3)))
    phone.moveToBackground()
    #expect(await !gateway.discovers(.overflow(service), within: .seconds(3)))
  }
}
