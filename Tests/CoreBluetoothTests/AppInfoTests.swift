import BleperaBluetooth
import Testing

@testable import CoreBluetooth

@Suite("An app's Info.plist")
struct AppInfoTests {
  @Test("Either key of AccessorySetupKit counts", arguments: AppIdentity.accessorySetupKeys)
  func accessorySetup(key: String) {
    #expect(AppInfo.identity([key: ["Bluetooth"]], fallbackName: "app").usesAccessorySetup)
    #expect(!AppInfo.identity([key: ["WiFi"]], fallbackName: "app").usesAccessorySetup)
  }
}
