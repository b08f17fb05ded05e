/// Property lists around the part that a test is about.
enum Document {
  static func list(_ content: String) -> String { "<plist version=\"1.0\">\(content)</plist>" }

  static func file(_ content: String) -> String { list("<dict>\(content)</dict>") }

  /// `content` under BLEPeripheral.
  static func peripheral(_ content: String) -> String {
    file("<key>BLEPeripheral</key>\n<dict>\n\(content)\n</dict>")
  }

  static func services(_ content: String) -> String {
    peripheral("<key>Services</key>\n<array>\n\(content)\n</array>")
  }

  static func service(_ uuid: String, _ content: String = "") -> String {
    "<dict><key>UUID</key><string>\(uuid)</string>\n\(content)</dict>\n"
  }

  /// One service that has these characteristics.
  static func characteristics(_ content: String) -> String {
    services(service("FE00", "<key>Characteristics</key><array>\n\(content)</array>"))
  }

  static func characteristic(
    _ uuid: String = "FE01", _ properties: String = "read", _ permissions: String = "readable", _ content: String = ""
  ) -> String {
    """
    <dict><key>UUID</key><string>\(uuid)</string>
    <key>Properties</key>\(names(properties))
    <key>Permissions</key>\(names(permissions))
    \(content)</dict>

    """
  }

  /// One characteristic that is read and notified by this behavior.
  static func behavior(_ content: String) -> String {
    characteristics(characteristic("FE01", "read notify", "readable", "<key>Behavior</key><dict>\(content)</dict>"))
  }

  /// `read notify` as an array; a marker may stand before it.
  private static func names(_ words: String) -> String {
    let isMarked = words.hasPrefix("⟦<")
    let names = words.drop { $0 == "⟦" && isMarked || $0 == "<" }.split(separator: " ")
    return (isMarked ? "⟦" : "") + "<array>" + names.map { "<string>\($0)</string>" }.joined() + "</array>"
  }
}
