import BleperaBluetooth
import BleperaHost
import Testing

@testable import BleperaVirtualBlueZ

@Suite("The advertisement that the kernel keeps for its scan response")
struct PendingReportTests {
  /// A report of device `a` or `b`; `+` with its scan response, `!` not scannable, `x` extended.
  private static func report(_ text: String) throws -> AdvertisementReport {
    let address = try #require(DeviceAddress("C0:00:00:00:00:0\(text.prefix(1).uppercased())"))
    return AdvertisementReport(
      address: address, isConnectable: !text.contains("!"), isExtended: text.contains("x"),
      isScannable: !text.contains("!"), rssi: -50, data: Array(text.utf8.filter { $0 >= 0x30 && $0 <= 0x39 }),
      scanResponse: [], hasResponse: text.contains("+"))
  }

  /// Reports that arrive, those that bluetoothd receives, and the report that is left when the scan ends.
  private static let histories: [(name: String, [String], [String], last: String?)] = [
    ("with its scan response", ["a1+"], ["a1+"], nil),
    ("alone", ["a1"], [], "a1"),
    ("twice", ["a1", "a2"], [], "a2"),
    ("then with its scan response", ["a1", "a2+"], ["a2+"], nil),
    ("before another device's", ["a1", "b1"], ["a1"], "b1"),
    ("before another device's with its scan response", ["a1", "b1+"], ["a1", "b1+"], nil),
    ("before a beacon's", ["a1", "b1!"], ["a1", "b1!"], nil),
    ("of a beacon", ["a1!"], ["a1!"], nil),
    ("of an extended set", ["a1x"], ["a1x"], nil),
  ]

  @Test("It is received with the scan response, before another device's report, or at the end", arguments: histories)
  func isKept(_ name: String, arriving: [String], received: [String], last: String?) throws {
    var pending = PendingReport()
    let reports = try arriving.flatMap { pending.add(try Self.report($0), isActive: true) }
    #expect(try reports == received.map(Self.report))
    #expect(try pending.flush() == last.map(Self.report))
    #expect(pending.flush() == nil)
  }

  @Test("A passive scan keeps none")
  func isPassive() throws {
    var pending = PendingReport()
    let report = try Self.report("a1")
    #expect(pending.add(report, isActive: false) == [report])
    #expect(pending.flush() == nil)
  }
}
