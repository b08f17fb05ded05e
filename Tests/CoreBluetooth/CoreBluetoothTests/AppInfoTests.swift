import BleperaBluetooth
import Testing

@testable import CoreBluetooth

@Suite("An app's Info.plist")
struct AppInfoTests {
  @Test("Either key of AccessorySetupKit counts", arguments: AppIdentity.accessorySetupKeys)
  func accessorySetup(key: String) {
    #expect(AppInfo.identity([key: ["Bluetooth"]], path: "Info.plist", fallbackName: "app").usesAccessorySetup)
    #expect(!AppInfo.identity([key: ["WiFi"]], path: "Info.plist", fallbackName: "app").usesAccessorySetup)
  }

  @Test("A build variable of the identifier is the name of the executable, with a warning")
  func buildVariables() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for (text, identifier) in [
        ("$(PRODUCT_BUNDLE_IDENTIFIER)", "my-app"), ("com.apple.${PRODUCT_NAME:rfc1034identifier}", "com.apple.my-app"),
        ("org.example.$(PRODUCT_NAME)", "org.example.my-app"), ("org.example.lock", "org.example.lock"),
      ] {
        let modes = ["bluetooth-central", "location", "bluetooth-peripheral"]
        let list: [String: Any] = [
          "CFBundleIdentifier": text, "CFBundleDisplayName": "${PRODUCT_NAME}", "UIBackgroundModes": modes,
        ]
        let identity = AppInfo.identity(list, path: "Info.plist", fallbackName: "my app")
        precondition(identity.bundleIdentifier == identifier && identity.name == "my app")
        precondition(identity.backgroundModes == modes)
      }
    }
    let log = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(
      log.split(separator: "\n").filter { $0.hasPrefix("[CoreBluetooth] ") }
        == [
          ("$(PRODUCT_BUNDLE_IDENTIFIER)", "my-app"),
          ("com.apple.${PRODUCT_NAME:rfc1034identifier}", "com.apple.my-app"),
          ("org.example.$(PRODUCT_NAME)", "org.example.my-app"),
        ].map {
          "[CoreBluetooth] WARNING: Info.plist: CFBundleIdentifier is \($0), which has a build variable; \($1) is used"
        })
  }
}
