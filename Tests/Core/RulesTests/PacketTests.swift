import BleperaBluetooth
import BleperaRules
import Testing

@Suite("The bytes on the air")
struct PacketTests {
  @Test("What an iPhone sends is what was captured, to the byte", arguments: captures + derived)
  func packets(air: Air) {
    #expect(Air.packets(air.plan) == air.expected)
  }

  @Test("No packet is longer than 31 bytes", arguments: captures + derived) func lengths(air: Air) {
    let plan = air.plan
    let packets = plan.phone.map { [$0.advertisingData, $0.scanResponse] } ?? []
    #expect(packets.allSatisfy { $0.length <= AdvertisingBudget.legacyMaximum && $0.bytes.count == $0.length })
  }

  /// Published captures, named by who published them.
  private static let captures: [Air] = [
    Air(
      "Crownstone, iOS 10", ios: .ios10, "a foreground backgroundMode Fred C007",
      """
      iPhone ADV_IND 02 01 1A | 03 03 07 C0 | 05 09 46 72 65 64
      iPhone SCAN_RSP
      """),
    Air(
      "davidgyoung/ios-overflow-area, iOS 11, foreground", ios: .ios11, "a foreground backgroundMode - young",
      """
      iPhone ADV_IND 02 01 1A | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F
      iPhone SCAN_RSP
      """),
    Air(
      "davidgyoung/ios-overflow-area, iOS 11, background", ios: .ios11, "a background backgroundMode - young",
      """
      iPhone ADV_IND 02 01 1A | 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      iPhone SCAN_RSP
      """),
    Air(
      "AOSP car trust: a 16-bit service in its long form", ios: .ios11, "a foreground backgroundMode Tester cars",
      """
      iPhone ADV_IND 02 01 1A | 11 07 FB 34 9B 5F 80 00 00 80 00 10 00 00 C5 3A 00 00 | 07 09 54 65 73 74 65 72
      iPhone SCAN_RSP
      """),
    Air(
      "reelyActive, 2015", ios: .ios11, "a foreground backgroundMode -- young",
      """
      iPhone ADV_IND 02 01 1A | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 03 09 2D 2D
      iPhone SCAN_RSP
      """),
    Air(
      "uynguyen, 2020: five services and a name of 8 bytes", ios: .ios13,
      "a foreground backgroundMode uynguyen young covidsafe covidsafe2 room sonar",
      """
      iPhone ADV_IND 02 01 1A | 11 06 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 09 09 75 79 6E 67 75 79 65 6E
      iPhone SCAN_RSP 14 FF 4C 00 01 01 00 80 10 00 00 00 00 00 40 00 00 00 00 00 00
      """),
    Air(
      "pagepinner, 2014: LightBlue with two services", ios: .ios11,
      "a foreground backgroundMode LightBlue young covidsafe",
      """
      iPhone ADV_IND 02 01 1A | 11 06 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 09 08 4C 69 67 68 74 42 6C 75
      iPhone SCAN_RSP 14 FF 4C 00 01 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      """),
    Air(
      "stackoom: ten digits beside a 128-bit service", ios: .ios11, "a foreground backgroundMode 0123456789 young",
      """
      iPhone ADV_IND 02 01 1A | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F | 09 08 30 31 32 33 34 35 36 37
      iPhone SCAN_RSP
      """),
    Air(
      "Herald, iPhone SE1", ios: .ios14, "a foreground backgroundMode - young",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F
      iPhone SCAN_RSP
      """),
    Air(
      "Herald, iPhone SE1, background: without an item of the phone's own", ios: .ios14, items: [],
      "a background backgroundMode - young",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      iPhone SCAN_RSP
      """),
    Air(
      "Herald, iPhone X, background: beside Nearby Info", ios: .ios14, items: [.nearbyInfo],
      "a background backgroundMode - young",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 0B FF 4C 00 10 06 07 1E A3 DD 89 E0
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      """),
    Air(
      "AltBeacon's test, background: beside Nearby Action and Nearby Info", ios: .ios14,
      items: [
        AppleItem(type: 0x0F, value: [0xA0, 0x33, 0x6A, 0xA5, 0xF1]), AppleItem(type: 0x10, value: [0x5B, 0x0C]),
      ],
      "a background backgroundMode - young",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 0E FF 4C 00 0F 05 A0 33 6A A5 F1 10 02 5B 0C
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      """),
    Air(
      "Crownstone: C007 and C008 in the background", ios: .ios11, "a suspended backgroundMode Fred C007 C008",
      """
      iPhone ADV_IND 02 01 1A | 14 FF 4C 00 01 00 00 00 00 10 00 00 08 00 00 00 00 00 00 00 00
      iPhone SCAN_RSP
      """),
  ]

  /// Packets that follow from the rules and have no capture.
  private static let derived: [Air] = [
    Air(
      "background, iOS 26: the overflow area is in the scan response", "a background backgroundMode Fred young",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 0C FF 4C 00 10 07 7B 1F F0 82 03 00 38
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      """),
    Air(
      "with N1 the TX power level is last and 0 dBm, behind Nearby Info", kind: .n1,
      "a background backgroundMode Fred young",
      """
      iPhone ADV_IND 02 01 1A | 0C FF 4C 00 10 07 7B 1F F0 82 03 00 38 | 02 0A 00
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00
      """),
    Air(
      "with N1 it is behind UUIDs and name too, where it fits", kind: .n1, "a foreground backgroundMode Fred 180D",
      """
      iPhone ADV_IND 02 01 1A | 03 03 0D 18 | 05 09 46 72 65 64 | 02 0A 00
      iPhone SCAN_RSP
      """),
    Air(
      "a foreground and a background app share an advertisement",
      """
      a background backgroundMode Fred sonar
      b foreground backgroundMode Ada 180D
      """,
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 03 03 0D 18 | 04 09 41 64 61
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 40 00 00 00 00 00 00
      """),
    Air(
      "two 16-bit UUIDs beside a 128-bit UUID fit exactly",
      """
      a foreground backgroundMode - 180D 180F
      b background backgroundMode - 180A
      """,
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 05 03 0D 18 0F 18
      iPhone SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      """),
    Air(
      "a third 16-bit UUID does not fit",
      """
      a foreground backgroundMode - 180D 180F 1800
      b background backgroundMode - 180A
      """,
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 07 03 0D 18 0F 18 00 18
      iPhone SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      """),
    Air(
      "a name without UUIDs beside the overflow area of another app",
      """
      a foreground backgroundMode Fred
      b suspended backgroundMode - 180A
      """,
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 05 09 46 72 65 64
      iPhone SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      """),
    Air(
      "a name for which UUIDs leave little room is in the scan response, whole where it has up to 10 bytes",
      "a foreground backgroundMode 0123456789 1801 1802 1803 1804 1805 1806 1807 1808 1809 180B 180C",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 17 03 01 18 02 18 03 18 04 18 05 18 06 18 07 18 08 18 09 18 0B 18 0C 18
      iPhone SCAN_RSP 0B 09 30 31 32 33 34 35 36 37 38 39
      """),
    Air(
      "the scan response holds the overflow area and such a name, to the byte",
      "a foreground backgroundMode 01234567 1801 1802 1803 1804 1805 1806 1807 1808 1809 180B 180C 180D 180E 180A",
      """
      iPhone ADV_IND 02 01 1A | 1B 02 01 18 02 18 03 18 04 18 05 18 06 18 07 18 08 18 09 18 0B 18 0C 18 0D 18 0E 18
      iPhone SCAN_RSP 14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | 09 09 30 31 32 33 34 35 36 37
      """),
    Air(
      "a name alone has 26 bytes", "a foreground backgroundMode abcdefghijklmnopqrstuvwxyz0",
      """
      iPhone ADV_IND 02 01 1A | 1B 08 61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 71 72 73 74 75 76 77 78 79 7A
      iPhone SCAN_RSP
      """),
    Air(
      "UUIDs of three widths, shortest first", "a foreground backgroundMode - young 0000180D 180F",
      """
      iPhone ADV_IND 02 01 1A | 03 03 0F 18 | 05 05 0D 18 00 00 | 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F
      iPhone SCAN_RSP
      """),
    Air(
      "a list is incomplete only if its own width overflows", "a foreground backgroundMode - young 180D sonar",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 03 03 0D 18 | 11 06 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 40 00 00 00 00 00 00
      """),
    Air(
      "a foreground app that requests no fields is advertised without any", "a foreground foregroundOnly -",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C
      iPhone SCAN_RSP
      """),
    Air("nothing of a foreground-only app in the background", "a background foregroundOnly Fred 180D", ""),
    Air("nothing of a suspended foreground-only app", "a suspended foregroundOnly Fred 180D", ""),
    Air("nothing of an app that has no UUIDs in the background", "a background backgroundMode Fred", ""),
    Air(
      "a terminated app is advertised as in the background (R7)", "a notRunning backgroundMode Fred 180D",
      """
      iPhone ADV_IND 02 01 1A | 02 0A 0C | 0C FF 4C 00 10 07 7B 1F F0 82 03 00 38
      iPhone SCAN_RSP 14 FF 4C 00 01 00 00 00 00 00 00 00 20 00 00 00 00 00 00 00 00
      """),
    Air("nothing of a terminated foreground-only app", "a notRunning foregroundOnly Fred 180D", ""),
    Air("nothing without apps", "", ""),
  ]
}
