import BleperaBlueZ
import BleperaBluetooth
import Testing

@Suite("Leases of attribute handles")
struct HandleLeasesTests {
  private static func ranges(_ text: String) -> [HandleLeases.Range] {
    text.split(separator: " ").map { word in
      let ends = word.split(separator: "-").compactMap { UInt16($0, radix: 16) }
      return AttributeHandle(rawValue: ends[0])...AttributeHandle(rawValue: ends[ends.count - 1])
    }
  }

  private static func text(_ ranges: [HandleLeases.Range]) -> String {
    ranges.map { range in
      [range.lowerBound, range.upperBound].map { String($0.rawValue, radix: 16) }.joined(separator: "-")
    }.joined(separator: " ")
  }

  @Test(
    "Leases that touch are one, and what is given up is not leased",
    arguments: [
      ("16-13f", "140-17f", "", "16-17f"), ("140-17f", "16-13e", "", "16-13e 140-17f"),
      ("16-13f", "100-150", "", "16-150"), ("16-13f", "", "103-105", "16-102 106-13f"),
      ("16-13f", "", "10-20", "21-13f"), ("16-13f", "", "130-150", "16-12f"), ("16-13f", "", "10-200", ""),
    ])
  func ranges(first: String, second: String, givenUp: String, result: String) {
    var leases = HandleLeases(ranges: Self.ranges(first))
    for range in Self.ranges(second) { leases.add(range) }
    for range in Self.ranges(givenUp) { leases.giveUp(range) }
    #expect(Self.text(leases.ranges) == result)
  }

  @Test(
    "Handles above all that bluetoothd has given can be leased, others only if they are",
    arguments: [
      ("", "100-107", HandleLeases.Standing.available), ("16-13f", "100-107", .leased), ("16-13f", "16-13f", .leased),
      ("16-13f", "100-107 140-142", .available), ("16-13f", "13e-141", .taken), ("150-17f", "100-107", .taken),
      ("16-13f 150-17f", "13f-150", .taken), ("16-13f 150-17f", "100-102 150-152", .leased),
    ])
  func standing(leased: String, wanted: String, standing: HandleLeases.Standing) {
    #expect(HandleLeases(ranges: Self.ranges(leased)).standing(of: Self.ranges(wanted)) == standing)
  }

  @Test("A refused fence reports the highest handle that bluetoothd has given") func refused() {
    var leases = HandleLeases()
    leases.refuse(probe: 0x0150)
    #expect(leases.standing(of: Self.ranges("100-107")) == .taken)
    #expect(leases.standing(of: Self.ranges("151-157")) == .available)
    #expect(leases.ranges == [])
  }

  @Test(
    "The fence is at the end of a block, never before 0x013F, and moves on where another service has it",
    arguments: [
      ("", "100-102", 0, 0, 0x013F), ("", "100-140", 0, 0, 0x017F), ("", "c0-cc", 0, 0, 0x013F),
      ("16-13f", "140-142", 0, 0, 0x017F), ("16-13f", "", 3, 0, 0x017F), ("16-13f", "", 65, 0, 0x01BF),
      ("16-13f", "140-142", 0, 2, 0x01FF), ("16-ffbf", "", 63, 0, 0xFFFE), ("16-ffbf", "", 64, 0, nil),
      ("", "100-ffff", 0, 0, nil),
    ] as [(String, String, Int, Int, UInt16?)])
  func fence(leased: String, wanted: String, count: Int, failures: Int, fence: UInt16?) {
    let leases = HandleLeases(ranges: Self.ranges(leased))
    let found = leases.fence(for: Self.ranges(wanted), and: count, failures: failures)
    #expect(found?.rawValue == fence)
  }

  @Test(
    "A service that cannot have its handles gets the lowest that nobody has",
    arguments: [
      ("16-13f", [3], "", "16"), ("100-13f", [3, 8], "100-102 105-107", "108 10b"), ("100-102 110-13f", [4], "", "110"),
      ("100-107", [4, 4], "", "100 104"), ("100-107", [4, 5], "", "-"), ("100-107", [8], "107-10a", "-"),
      ("100-107 143-17f", [8], "100-107", "143"), ("143-17f", [3], "100-147 140-145", "148"),
    ])
  func places(leased: String, sizes: [Int], used: String, places: String) {
    let found = HandleLeases(ranges: Self.ranges(leased)).places(for: sizes, avoiding: Self.ranges(used))
    #expect(found?.map { String($0.rawValue, radix: 16) }.joined(separator: " ") ?? "-" == places)
  }
}
