import BleperaBluetooth
import Testing

@Suite struct AdvertisingBudgetTests {
  private static func uuids(_ text: String) throws -> [BluetoothUUID] {
    try text.split(separator: " ").map { name in
      switch name {
      case "L1": BluetoothUUID(bits: 1)
      case "L2": BluetoothUUID(bits: 2)
      default: try #require(BluetoothUUID(name))
      }
    }
  }

  /// L1 and L2 are 128-bit UUIDs.
  @Test(
    "UUIDs are taken in order while they fit, one header for each width",
    arguments: [
      ("", 28, "", "", 0),
      ("180D", 4, "180D", "", 4),
      ("180D", 3, "", "180D", 4),
      ("180D", 0, "", "180D", 4),
      ("180D", -5, "", "180D", 4),
      ("180D 180F", 6, "180D 180F", "", 6),
      ("180D 180F", 5, "180D", "180F", 6),
      ("180D 0000180F", 10, "180D 0000180F", "", 10),
      ("180D 0000180F", 9, "180D", "0000180F", 10),
      ("L1", 18, "L1", "", 18),
      ("L1", 17, "", "L1", 18),
      ("L1 L2", 28, "L1", "L2", 34),
      ("L1 L2", 34, "L1 L2", "", 34),
      ("L1 L2 180D 180F DEADBEEF", 28, "L1 180D 180F", "L2 DEADBEEF", 46),
      ("L1 180D L2 180F", 24, "L1 180D 180F", "L2", 40),
      (
        "1801 1802 1803 1804 1805 1806 1807 1808 1809 180A 180B 180C 180D 180E", 28,
        "1801 1802 1803 1804 1805 1806 1807 1808 1809 180A 180B 180C 180D", "180E", 30
      ),
    ])
  func uuids(_ text: String, budget: Int, fitting: String, overflowing: String, whole: Int) throws {
    let uuids = try Self.uuids(text)
    let fit = AdvertisingBudget.fit(serviceUUIDs: uuids, into: budget)
    #expect(try fit.fitting == Self.uuids(fitting))
    #expect(try fit.overflowing == Self.uuids(overflowing))
    #expect(AdvertisingBudget.length(of: uuids) == whole)
    #expect(AdvertisingBudget.length(of: fit.fitting) <= max(0, budget))
    let structures = UUIDList.lists(of: fit.fitting).map { ADStructure.serviceUUIDs($0, complete: true) }
    #expect(AdvertisingData(structures).length == AdvertisingBudget.length(of: fit.fitting))
  }

  @Test(
    "A name is whole where there is room, else shortened",
    arguments: [
      ("Fred", 6, .completeLocalName("Fred")),
      ("Fred", 5, .shortenedLocalName("Fre")),
      ("Fred", 3, .shortenedLocalName("F")),
      ("Fred", 2, nil),
      ("Fred", 0, nil),
      ("Fred", -1, nil),
      ("Fred", Int.min + 2, nil),
      ("", 31, nil),
      ("LightBlue", 10, .shortenedLocalName("LightBlu")),
      ("uynguyen", 10, .completeLocalName("uynguyen")),
      ("Zoë", 6, .completeLocalName("Zoë")),
      ("Zoë", 5, .shortenedLocalName("Zo")),
      (String(repeating: "a", count: 29), 31, .completeLocalName(String(repeating: "a", count: 29))),
      (String(repeating: "a", count: 30), 31, .shortenedLocalName(String(repeating: "a", count: 29))),
      (String(repeating: "a", count: 300), Int.max, .shortenedLocalName(String(repeating: "a", count: 254))),
    ] as [(String, Int, ADStructure?)])
  func name(_ name: String, budget: Int, expected: ADStructure?) {
    #expect(AdvertisingBudget.fit(localName: name, into: budget) == expected)
  }

  @Test(
    "A name is cut where a reader sees a character end",
    arguments: [
      ("Fred", 4, "Fred"), ("Fred", 99, "Fred"), ("Fred", 0, ""), ("Fred", -3, ""),
      ("Zoe\u{308}s", 5, "Zoe\u{308}"), ("Zoe\u{308}s", 4, "Zo"), ("Zoe\u{308}s", 3, "Zo"),
      ("心拍計", 8, "心拍"), ("心拍計", 5, "心"),
      ("a👨‍👩‍👧", 18, "a"), ("👨‍👩‍👧b", 18, "👨‍👩‍👧"), ("🇩🇪🇫🇷", 15, "🇩🇪"),
      ("a\r\nb", 2, "a"),
    ])
  func shortened(_ name: String, bytes: Int, expected: String) {
    let cut = LocalName.shortened(name, to: bytes)
    #expect(Array(cut.utf8) == Array(expected.utf8))
  }

  @Test("Where not even the first character fits, no scalar is split", arguments: 0...17)
  func firstCharacter(bytes: Int) {
    let family = "👨‍👩‍👧"
    let cut = LocalName.shortened(family, to: bytes)
    #expect(cut.utf8.count <= bytes)
    #expect(family.unicodeScalars.starts(with: cut.unicodeScalars))
    #expect(cut.isEmpty == (bytes < 4))
  }

  @Test("The arithmetic of Apple's 28 bytes is that of the captures")
  func apple() {
    let room = AdvertisingBudget.legacyMaximum - AdvertisingBudget.flagsLength
    #expect(room == 28)
    #expect(ADStructure.flags(.iPhone).length == AdvertisingBudget.flagsLength)
    let left = room - AdvertisingBudget.length(of: [BluetoothUUID(bits: 1)])
    #expect(left == 10)
    #expect(AdvertisingBudget.fit(localName: "0123456789", into: left) == .shortenedLocalName("01234567"))
  }
}
