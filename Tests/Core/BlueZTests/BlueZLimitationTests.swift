import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaRadio
import Foundation
import Testing

@testable import BleperaBlueZ

@Suite("What bluetoothd cannot do")
struct BlueZLimitationTests {
  private static func advertisement(_ advertising: String, _ response: String = "") -> RadioAdvertisement {
    RadioAdvertisement(
      advertisingData: AdvertisingData(leniently: bytes(advertising)),
      scanResponse: AdvertisingData(leniently: bytes(response)), interval: AdvertisingInterval(clamping: 181.25))
  }

  private static func bytes(_ text: String) -> [UInt8] {
    text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
  }

  private static let overflow = "14 FF 4C 00 01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
  private static let long = "A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F"
  private static let always = ["flags", "whole-milliseconds", "gap", "address"]

  /// Advertising data, scan response, and the identifiers besides those that always apply.
  private static let table: [(String, String, [String])] = [
    ("02 01 1A", "", []),
    ("02 01 1A 02 0A 0C", overflow, ["tx-power", "overflow-place"]),
    ("02 01 1A \(overflow)", "", []),
    ("02 01 1A 03 03 0D 18 05 09 46 72 65 64", "", ["name-place"]),
    (
      "02 01 1A 11 06 \(long) 09 08 4C 69 67 68 74 42 6C 75", overflow,
      ["list-complete", "name-place", "name-complete", "overflow-place", "second-advertisement"]
    ),
    ("02 01 1A 03 03 0D 18", "09 08 30 31 32 33 34 35 36 37", ["name-complete"]),
    ("02 01 1A 11 07 FB 34 9B 5F 80 00 00 80 00 10 00 00 C5 3A 00 00", "", ["uuid-width"]),
    ("02 01 1A 06 FF 4C 00 10 01 02", overflow, ["overflow-place", "apple-item"]),
    ("02 01 1A 06 FF 4C 00 10 01 02", "", []),
  ]

  @Test("Each packet has the limitations of advertising that apply", arguments: table)
  func advertising(advertising: String, response: String, expected: [String]) {
    let found = BlueZLimitation.advertising(
      Self.advertisement(advertising, response), daemon: DaemonVersion(5, 82), honorsIntervals: true)
    #expect(Set(found.map(\.id)) == Set(Self.always + expected))
    #expect(found.count == Self.always.count + expected.count)
  }

  @Test("A phone's own packets have a public address, which is a limitation of these packets only")
  func presence() {
    func found(isOwn: Bool, isExact: Bool) -> Bool {
      let advertisement = RadioAdvertisement(
        advertisingData: AdvertisingData([.flags(.iPhone)]), scanResponse: AdvertisingData(),
        interval: AdvertisingInterval(clamping: 270), isOwn: isOwn)
      return BlueZLimitation.advertising(advertisement, daemon: DaemonVersion(5, 82), isExact: isExact)
        .contains { $0.id == RadioLimitation.presence }
    }
    #expect(found(isOwn: true, isExact: true))
    #expect(!found(isOwn: false, isExact: true) && !found(isOwn: true, isExact: false))
    let remaining = [false, true].map { BlueZLimitation.remaining(in: nil, hasPrivateAddress: $0, isExact: true) }
    #expect(remaining.map { $0.contains { $0.id == RadioLimitation.presence } } == [true, false])
  }

  @Test("The limitation of the overflow area's place does not apply to a scan response")
  func scanResponses() {
    let advertisement = Self.advertisement("02 01 1A 03 03 0D 18 05 09 46 72 65 64", Self.overflow)
    for isThere in [false, true] {
      let found = BlueZLimitation.applying(
        to: advertisement, daemon: DaemonVersion(5, 82), honorsIntervals: true, takesScanResponses: isThere)
      #expect(found.contains { $0.id == "overflow-place" } == !isThere)
    }
  }

  @Test(
    "The overflow area's place has the reason that applies",
    arguments: [
      (false, "bluetoothd puts manufacturer data there"),
      (true, "the scan response has no room for it beside the local name"),
    ])
  func place(takesScanResponses: Bool, reason: String) {
    let found = BlueZLimitation.applying(
      to: Self.advertisement("02 01 1A 03 03 0D 18 0A 09 75 79 6E 67 75 79 65 6E 31", Self.overflow),
      daemon: DaemonVersion(5, 82), honorsIntervals: true, takesScanResponses: takesScanResponses)
    #expect(found.first { $0.id == "overflow-place" }?.instead.contains(reason) == true)
  }

  /// The release, whether intervals are honored, and which of the limitations that a release fixes apply.
  private static let releases: [(DaemonVersion?, Bool?, [String])] = [
    (DaemonVersion(5, 66), false, ["intervals"] + streams + ["att-error-fd", "long-writes", "signed-writes"]),
    (DaemonVersion(5, 66), true, streams + ["att-error-fd", "long-writes", "signed-writes"]),
    (
      DaemonVersion(5, 55), true,
      streams + ["att-error-codes", "att-error-fd", "long-writes", "notify-encryption", "signed-writes"]
    ),
    (DaemonVersion(5, 69), true, streams + ["att-error-fd", "signed-writes"]),
    (DaemonVersion(5, 73), true, streams + ["att-error-fd"]), (DaemonVersion(5, 82), true, []),
    (nil, nil, streams + ["att-error-codes", "att-error-fd", "long-writes", "notify-encryption", "signed-writes"]),
  ]
  private static let streams = ["one-central", "unsubscribe", "kept-updates"]

  @Test("Later releases have fewer limitations", arguments: releases)
  func fixed(daemon: DaemonVersion?, honorsIntervals: Bool?, expected: [String]) {
    let found = BlueZLimitation.applying(
      to: Self.advertisement("02 01 1A"), daemon: daemon, honorsIntervals: honorsIntervals)
    #expect(found.filter { $0.fixedIn != nil }.map(\.id) == expected)
    #expect(found.contains { $0.id == "whole-milliseconds" } == (honorsIntervals != false))
  }

  @Test(
    "With --exact one limitation of advertising remains and one is added, on each release", arguments: releases, table)
  func exact(release: (DaemonVersion?, Bool?, [String]), packet: (String, String, [String])) {
    let found = BlueZLimitation.applying(
      to: Self.advertisement(packet.0, packet.1), daemon: release.0, honorsIntervals: release.1, isExact: true)
    let ofAttributes = BlueZLimitation.applying(to: nil, daemon: release.0)
    #expect(found.map(\.id) == ["address", "exact-overwritten"] + ofAttributes.map(\.id))
  }

  @Test("The limitations of a release depend on who sends the packets", arguments: [false, true])
  func remaining(isExact: Bool) {
    let found = Set(BlueZLimitation.remaining(in: DaemonVersion(5, 66), isExact: isExact).map(\.id))
    #expect(found.contains("address") && found.contains("one-central") && !found.contains("exact"))
    #expect(found.contains("exact-overwritten") == isExact && found.contains("flags") == !isExact)
  }

  @Test("Where --exact cannot be used the reason is given") func refused() throws {
    let limitation = RadioLimitation(notExact: .tooOld)
    let row = try #require(BlueZLimitation.all.first { $0.id == limitation.id })
    #expect(limitation.instead == "bluetoothd sends its own packets: the kernel is older than Linux 5.11.")
    #expect(limitation.advice == "Use a newer kernel.")
    #expect(row.instead != limitation.instead && row.iPhone == limitation.iPhone)
  }

  @Test("Without an advertisement the limitations of attributes alone apply") func silent() {
    let found = BlueZLimitation.applying(to: nil, daemon: DaemonVersion(5, 82))
    #expect(found.contains { $0.id == "no-stream" } && !found.contains { $0.id == "flags" })
  }

  @Test(
    "The sentence says what happens in this case",
    arguments: [
      ("whole-milliseconds", "The interval is 180.625 to 181.875 ms, not 181.25 ms: "),
      ("uuid-width", "00003AC5-0000-1000-8000-00805F9B34FB is sent as 3AC5: "),
      ("list-complete", "The incomplete list of 16-bit UUIDs is marked complete: "),
    ])
  func sentence(id: String, start: String) {
    let found = BlueZLimitation.advertising(
      Self.advertisement("02 01 1A 11 07 FB 34 9B 5F 80 00 00 80 00 10 00 00 C5 3A 00 00 03 02 0D 18"),
      daemon: DaemonVersion(5, 82), honorsIntervals: true)
    #expect(found.filter { $0.id == id }.map { $0.instead.hasPrefix(start) } == [true])
  }

  @Test("Each limitation has its own identifier and whole sentences") func form() {
    let all = BlueZLimitation.all
    #expect(Set(all.map(\.id)).count == all.count)
    for limitation in all {
      for sentence in [limitation.iPhone, limitation.instead] + (limitation.advice.map { [$0] } ?? []) {
        #expect(
          sentence.hasSuffix(".") && sentence.first?.isLowercase != true || sentence.hasPrefix("bluetoothd"),
          "\(sentence)")
      }
    }
  }

  @Test(
    "The page of known differences has the tables",
    arguments: [("BlueZLimitation.all", limitations), ("DaemonFault.all", faults)])
  func page(name: String, markdown: String) throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../docs/known-differences.md")
    let text = try String(contentsOf: page.standardizedFileURL, encoding: .utf8)
    let start = "<!-- \(name) -->\n"
    let end = "<!-- end -->"
    let table = text.components(separatedBy: start).dropFirst().first?.components(separatedBy: end).first
    #expect(table == markdown, "write this there:\n\(markdown)")
  }

  private static var limitations: String {
    table(
      ["an iPhone", "instead, over BlueZ", "fixed in", "`--exact`"],
      BlueZLimitation.rows.map {
        [$0.limitation.iPhone, $0.limitation.instead, $0.limitation.fixedIn ?? "", $0.way.rawValue]
      })
  }

  private static var faults: String {
    table(
      ["bluetoothd", "first", "last", "BlueZ commits", "advice"],
      DaemonFault.all.map { fault in
        let releases = [fault.quirk.first, fault.quirk.last].map { $0.map { "\($0)" } ?? "" }
        return [fault.what] + releases + [fault.quirk.commits.joined(separator: ", "), fault.advice]
      })
  }

  /// A table of a page, with a trailing line feed.
  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    ([head, head.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }
}
