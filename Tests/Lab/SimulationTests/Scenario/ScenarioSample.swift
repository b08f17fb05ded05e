/// A scenario in the words of the tests: markers may stand anywhere.
enum ScenarioSample {
  static let profile = """
    <dict><key>BLEPeripheral</key><dict><key>Services</key><array><dict><key>UUID</key><string>FE00</string>
    <key>Characteristics</key><array><dict><key>UUID</key><string>FE01</string>
    <key>Properties</key><array><string>read</string></array>
    <key>Permissions</key><array><string>readable</string></array></dict></array></dict></array></dict></dict>
    """

  static func document(_ content: String) -> String { "<plist version=\"1.0\"><dict>\n\(content)\n</dict></plist>" }

  static func app(_ name: String, _ profile: String = profile) -> String {
    "<dict><key>Name</key><string>\(name)</string><key>Profile</key>\(profile)</dict>"
  }

  static func phone(_ name: String, _ apps: String...) -> String {
    "<dict><key>Name</key><string>\(name)</string><key>Apps</key><array>\(apps.joined())</array></dict>"
  }

  static func cast(phones: String, centrals: String) -> String {
    """
    <key>Title</key><string>A story</string>
    <key>Phones</key><array>\(phones)</array>
    <key>Centrals</key><array>\(centrals)</array>
    """
  }

  /// One phone with one app, one plain central, and these steps.
  static func steps(_ steps: String, phones: String? = nil, centrals: String? = nil) -> String {
    document(
      cast(
        phones: phones ?? phone("phone", app("lock")),
        centrals: centrals ?? "<dict><key>Name</key><string>door</string></dict>")
        + "\n<key>Steps</key><array>\n\(steps)\n</array>")
  }

  /// One step: `Do` and these keys.
  static func step(_ kind: String, _ content: String = "") -> String {
    steps("<dict><key>Do</key><string>\(kind)</string>\n\(content)</dict>")
  }
}
