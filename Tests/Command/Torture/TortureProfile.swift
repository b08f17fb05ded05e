/// The tortured app: characteristics that notify five times a second, some of which one central alone subscribes
/// to; for each central one that it writes, with a description that the system keeps; and a cached value in each
/// service.
enum TortureProfile {
  static let identifier = "org.blepera.torture"
  static let centrals = 3
  /// The number of topics that all centrals subscribe to. They come first, and the second indicates.
  static let sharedTopics = 2
  static let topicsOfEach = 2
  static var topics: Int { sharedTopics + centrals * topicsOfEach }

  static let firstDescription: [UInt8] = Array("as it was".utf8)
  static let cachedValue: [UInt8] = [0xCA]

  static func topics(of central: Int) -> [Int] {
    let first = sharedTopics + central * topicsOfEach
    return Array(0..<sharedTopics) + Array(first..<first + topicsOfEach)
  }

  static func topic(_ number: Int) -> String { "FFA\(number + 1)" }
  static func written(by central: Int) -> String { "FFB\(central + 1)" }
  static let cached = ["FFAF", "FFBF"]

  /// The UUID in BlueZ's form, with 128 bits.
  static func long(_ uuid: String) -> String { "0000\(uuid.lowercased())-0000-1000-8000-00805f9b34fb" }

  static var text: String {
    let counters = (0..<topics).map { number in
      characteristic(
        topic(number), properties: ["read", number == 1 ? "indicate" : "notify"], permissions: ["readable"],
        """
        <key>Behavior</key><dict><key>Kind</key><string>counter</string><key>Format</key><string>uint32</string>
        <key>Interval</key><real>0.2</real></dict>
        """)
    }
    let commands = (0..<centrals).map { number in
      characteristic(
        written(by: number), properties: ["read", "write"], permissions: ["readable", "writeable"],
        """
        <key>Behavior</key><dict><key>Kind</key><string>echo</string></dict>
        <key>Descriptors</key><array><dict><key>UUID</key><string>2901</string>
        <key>Text</key><string>\(String(decoding: firstDescription, as: UTF8.self))</string>
        <key>Permissions</key><array><string>readable</string><string>writeable</string></array></dict></array>
        """)
    }
    let cached = cached.map {
      characteristic($0, properties: ["read"], permissions: ["readable"], "<key>Value</key><data>yg==</data>")
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>\(identifier)</string>
      <key>UIBackgroundModes</key><array><string>bluetooth-peripheral</string></array>
      <key>BLEPeripheral</key><dict>
      <key>RestoreIdentifier</key><string>torture</string>
      <key>Advertisement</key><dict><key>LocalName</key><string>Torture</string>
      <key>ServiceUUIDs</key><array><string>FFA0</string></array></dict>
      <key>Rules</key><dict><key>ForegroundInterval</key><integer>20</integer></dict>
      <key>Services</key><array>
      \(service("FFA0", counters + [cached[0]]))
      \(service("FFB0", commands + [cached[1]]))
      </array></dict></dict></plist>

      """
  }

  private static func service(_ uuid: String, _ characteristics: [String]) -> String {
    """
    <dict><key>UUID</key><string>\(uuid)</string>
    <key>Characteristics</key><array>\(characteristics.joined())</array></dict>
    """
  }

  private static func characteristic(
    _ uuid: String, properties: [String], permissions: [String], _ rest: String
  ) -> String {
    func strings(_ words: [String]) -> String { "<array>\(words.map { "<string>\($0)</string>" }.joined())</array>" }
    return """
      <dict><key>UUID</key><string>\(uuid)</string><key>Properties</key>\(strings(properties))
      <key>Permissions</key>\(strings(permissions))
      \(rest)</dict>

      """
  }
}
