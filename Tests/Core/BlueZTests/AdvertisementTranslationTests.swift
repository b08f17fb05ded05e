import BleperaBluetooth
import BleperaRadio
import Testing

@testable import BleperaBlueZ

/// An iPhone's packets, and those that bluetoothd sends in their place: `iPhone ADV_IND` and `iPhone SCAN_RSP`, then
/// `BlueZ ADV_IND` and `BlueZ SCAN_RSP` for each of its advertisements; `|` separates structures.
struct Translation: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let lines: [String]

  init(_ name: String, _ text: String) {
    testDescription = name
    lines = text.split(separator: "\n").map(String.init)
  }

  static let interval = AdvertisingInterval(clamping: 181.25)

  var advertisement: RadioAdvertisement {
    RadioAdvertisement(
      advertisingData: packet("iPhone ADV_IND"), scanResponse: packet("iPhone SCAN_RSP"), interval: Self.interval)
  }

  private func packet(_ kind: String) -> AdvertisingData {
    let line = lines.first { $0.hasPrefix(kind) } ?? ""
    let bytes = line.dropFirst(kind.count).split { $0 == " " || $0 == "|" }.compactMap { UInt8($0, radix: 16) }
    return AdvertisingData(leniently: bytes)
  }

  var expected: [String] { lines.filter { $0.hasPrefix("BlueZ") } }

  static func lines(_ contents: [AdvertisementContent]) -> [String] {
    contents.flatMap { content in
      [text("BlueZ ADV_IND", content.advertisingData), text("BlueZ SCAN_RSP", content.scanResponse)]
    }
  }

  private static func text(_ kind: String, _ data: AdvertisingData) -> String {
    ([kind] + [data.structures.map { Hex.string($0.bytes, separator: " ") }.joined(separator: " | ")])
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Captures of iPhones, and packets that follow from the rules.
  static let table: [Translation] = [
    Translation(
      "Crownstone, iOS 10",
      """
      iPhone ADV_IND 02 01 1A | 03 03 07 C0 | 05 09 46 72 65 64
      iPhone SCAN_RSP
      BlueZ ADV_IND 03 03 07 C0 | 02 01 06
      BlueZ SCAN_RSP 05 09 46 72 65 64
      """),
    Translation(
      "davidgyoung/ios-overflow-area, iOS 11, foreground",
      """
      iPhone ADV_IND 02 01 1A | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F
      iPhone SCAN_RSP
      BlueZ ADV_IND 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "davidgyoung/ios-overflow-area, iOS 11, background",
      """
      iPhone ADV_IND 02 01 1A | 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      iPhone SCAN_RSP
      BlueZ ADV_IND 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "AOSP car trust: a 16-bit service in its long form",
      """
      iPhone ADV_IND 02 01 1A | 11 07 FB 34 9B 5F 80 00 00 80 00 10 00 00 C5 3A 00 00 | 07 09 54 65 73 74 65 72
      iPhone SCAN_RSP
      BlueZ ADV_IND 03 03 C5 3A | 02 01 06
      BlueZ SCAN_RSP 07 09 54 65 73 74 65 72
      """),
    Translation(
      "reelyActive, 2015",
      """
      iPhone ADV_IND 02 01 1A | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 03 09 2D 2D
      iPhone SCAN_RSP
      BlueZ ADV_IND 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 02 01 06
      BlueZ SCAN_RSP 03 09 2D 2D
      """),
    Translation(
      "uynguyen, 2020: five services and a name of 8 bytes",
      """
      iPhone ADV_IND 02 01 1A | 11 06 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 09 09 75 79 6E 67 75 79 65 6E
      iPhone SCAN_RSP 14 FF 4C 00 01 01 00 80 10 00 00 00 00 00 40 00 00 00 00 00 00
      BlueZ ADV_IND 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 02 01 06
      BlueZ SCAN_RSP 09 09 75 79 6E 67 75 79 65 6E
      BlueZ ADV_IND 14 FF 4C 00 01 01 00 80 10 00 00 00 00 00 40 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "pagepinner, 2014: LightBlue with two services",
      """
      iPhone ADV_IND 02 01 1A | 11 06 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 09 08 4C 69 67 68 74 42 6C 75
      iPhone SCAN_RSP 14 FF 4C 00 01 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      BlueZ ADV_IND 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 02 01 06
      BlueZ SCAN_RSP 09 09 4C 69 67 68 74 42 6C 75
      BlueZ ADV_IND 14 FF 4C 00 01 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "stackoom: ten digits beside a 128-bit service",
      """
      iPhone ADV_IND 02 01 1A | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 09 08 30 31 32 33 34 35 36 37
      iPhone SCAN_RSP
      BlueZ ADV_IND 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 02 01 06
      BlueZ SCAN_RSP 09 09 30 31 32 33 34 35 36 37
      """),
    Translation(
      "Herald, iPhone SE1",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F
      iPhone SCAN_RSP
      BlueZ ADV_IND 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "Crownstone: C007 and C008 in the background",
      """
      iPhone ADV_IND 02 01 1A | 14 FF 4C 00 01 00 00 00 00 10 00 00 08 00 00 00 00 00 00 00 00
      iPhone SCAN_RSP
      BlueZ ADV_IND 14 FF 4C 00 01 00 00 00 00 10 00 00 08 00 00 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "background, iOS 26: the overflow area is in the scan response",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      BlueZ ADV_IND 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "a foreground and a background app share an advertisement that has room for both",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 03 03 0D 18 | 04 09 41 64 61
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 40 00 00 00 00 00 00
      BlueZ ADV_IND 03 03 0D 18 | 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 40 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP 04 09 41 64 61
      """),
    Translation(
      "two short UUIDs still do, to the byte",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 05 03 0D 18 0F 18
      iPhone SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      BlueZ ADV_IND 05 03 0D 18 0F 18 | 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "a third does not",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 07 03 0D 18 0F 18 00 18
      iPhone SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      BlueZ ADV_IND 07 03 0D 18 0F 18 00 18 | 02 01 06
      BlueZ SCAN_RSP
      BlueZ ADV_IND 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "a name without UUIDs goes with the overflow area of another",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 05 09 46 72 65 64
      iPhone SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      BlueZ ADV_IND 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP 05 09 46 72 65 64
      """),
    Translation(
      "a name for which UUIDs leave little room is in the scan response, in 10 bytes",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 17 03 01 18 02 18 03 18 04 18 05 18 06 18 07 18 08 18 09 18 0B 18 0C 18
      iPhone SCAN_RSP 09 08 30 31 32 33 34 35 36 37
      BlueZ ADV_IND 17 03 01 18 02 18 03 18 04 18 05 18 06 18 07 18 08 18 09 18 0B 18 0C 18 | 02 01 06
      BlueZ SCAN_RSP 09 09 30 31 32 33 34 35 36 37
      """),
    Translation(
      "the scan response holds the overflow area and such a name, to the byte",
      """
      iPhone ADV_IND 02 01 1A | 1B 02 01 18 02 18 03 18 04 18 05 18 06 18 07 18 08 18 09 18 0B 18 0C 18 0D 18 0E 18
      iPhone SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | 09 09 30 31 32 33 34 35 36 37
      BlueZ ADV_IND 1B 03 01 18 02 18 03 18 04 18 05 18 06 18 07 18 08 18 09 18 0B 18 0C 18 0D 18 0E 18 | 02 01 06
      BlueZ SCAN_RSP 09 09 30 31 32 33 34 35 36 37
      BlueZ ADV_IND 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "a name alone has 26 bytes",
      """
      iPhone ADV_IND 02 01 1A | 1B 08 61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 71 72 73 74 75 76 77 78 79 7A
      iPhone SCAN_RSP
      BlueZ ADV_IND 02 01 06
      BlueZ SCAN_RSP 1B 09 61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 71 72 73 74 75 76 77 78 79 7A
      """),
    Translation(
      "UUIDs of three widths, shortest first",
      """
      iPhone ADV_IND 02 01 1A | 03 03 0F 18 | 05 05 0D 18 00 00 | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F
      iPhone SCAN_RSP
      BlueZ ADV_IND 03 03 0F 18 | 05 05 0D 18 00 00 | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "a list is incomplete only if its own width overflows",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 03 03 0D 18 | 11 06 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 40 00 00 00 00 00 00
      BlueZ ADV_IND 03 03 0D 18 | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 02 01 06
      BlueZ SCAN_RSP
      BlueZ ADV_IND 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 40 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "a foreground app that requests no fields is advertised without any",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C
      iPhone SCAN_RSP
      BlueZ ADV_IND 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "nothing of a foreground-only app in the background",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 20 00 00 00 00 00 00 00 00
      BlueZ ADV_IND 14 FF 4C 00 01 00 00 00 00 00 00 00 20 00 00 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "an item of Apple's own is left out beside the overflow area",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 06 FF 4C 00 10 01 02
      iPhone SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      BlueZ ADV_IND 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "it is sent where there is no overflow area",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 06 FF 4C 00 10 01 02 | 03 03 0D 18
      iPhone SCAN_RSP
      BlueZ ADV_IND 03 03 0D 18 | 06 FF 4C 00 10 01 02 | 02 01 06
      BlueZ SCAN_RSP
      """),
    Translation(
      "nothing but Flags",
      """
      iPhone ADV_IND 02 01 1A
      iPhone SCAN_RSP
      BlueZ ADV_IND 02 01 06
      BlueZ SCAN_RSP
      """),
  ]
}

@Suite("An iPhone's packets as bluetoothd's advertisements")
struct AdvertisementTranslationTests {
  @Test("Each plan has its advertisements", arguments: Translation.table) func packets(translation: Translation) {
    let contents = AdvertisementContent.contents(for: translation.advertisement)
    #expect(Translation.lines(contents) == translation.expected)
    #expect(contents.allSatisfy { $0.advertisingData.length <= 31 && $0.scanResponse.length <= 31 })
    #expect(contents.allSatisfy { $0.interval == .init(minimum: 181, maximum: 182) })
  }

  /// The scan responses hold the overflow area where an iPhone has it there and the local name leaves room for it.
  private static let scanResponses: [Translation] = [
    Translation(
      "background, iOS 26",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      BlueZ ADV_IND 02 01 06
      BlueZ SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      """),
    Translation(
      "a name of 8 bytes, and more services than fit",
      """
      iPhone ADV_IND 02 01 1A | 11 06 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 09 09 75 79 6E 67 75 79 65 6E
      iPhone SCAN_RSP 14 FF 4C 00 01 01 00 80 10 00 00 00 00 00 40 00 00 00 00 00 00
      BlueZ ADV_IND 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 02 01 06
      BlueZ SCAN_RSP 14 FF 4C 00 01 01 00 80 10 00 00 00 00 00 40 00 00 00 00 00 00 | 09 09 75 79 6E 67 75 79 65 6E
      """),
    Translation(
      "a name of 9 bytes",
      """
      iPhone ADV_IND 02 01 1A | 03 03 0D 18 | 0A 09 75 79 6E 67 75 79 65 6E 31
      iPhone SCAN_RSP 14 FF 4C 00 01 01 00 80 10 00 00 00 00 00 40 00 00 00 00 00 00
      BlueZ ADV_IND 03 03 0D 18 | 14 FF 4C 00 01 01 00 80 10 00 00 00 00 00 40 00 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP 0A 09 75 79 6E 67 75 79 65 6E 31
      """),
    Translation(
      "an item of Apple's own beside it",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 06 FF 4C 00 10 01 02
      iPhone SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      BlueZ ADV_IND 06 FF 4C 00 10 01 02 | 02 01 06
      BlueZ SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      """),
    Translation(
      "an overflow area in the advertisement stays there",
      """
      iPhone ADV_IND 02 01 1A | 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      iPhone SCAN_RSP
      BlueZ ADV_IND 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00 | 02 01 06
      BlueZ SCAN_RSP
      """),
  ]

  @Test("From 5.80 on an application's scan response is used", arguments: scanResponses)
  func responses(translation: Translation) {
    let contents = AdvertisementContent.contents(for: translation.advertisement, takesScanResponses: true)
    #expect(Translation.lines(contents) == translation.expected)
    #expect(contents.allSatisfy { $0.advertisingData.length <= 31 && $0.scanResponse.length <= 31 })
  }

  @Test(
    "bluetoothd takes whole milliseconds, and gets those around",
    arguments: [(181.25, 181, 182), (1022.5, 1022, 1023), (100, 100, 100), (20, 20, 20), (10240, 10240, 10240)])
  func whole(milliseconds: Double, minimum: UInt32, maximum: UInt32) {
    let interval = AdvertisementContent.Interval(AdvertisingInterval(clamping: milliseconds))
    #expect(interval == .init(minimum: minimum, maximum: maximum))
  }

  @Test(
    "A controller receives steps of 0.625 ms, rounded down",
    arguments: [
      (181.25, 180.625, 181.875), (1022.5, 1021.875, 1022.5), (100, 100, 100), (101, 100.625, 100.625), (20, 20, 20),
      (20.625, 20, 20.625), (10239.375, 10238.75, 10240), (10240, 10240, 10240),
    ])
  func steps(milliseconds: Double, minimum: Double, maximum: Double) throws {
    let interval = AdvertisementContent.Interval(AdvertisingInterval(clamping: milliseconds))
    #expect(interval.onAir == AdvertisingInterval(minimum: minimum, maximum: maximum))
  }
}
