import ArgumentParser
import Testing

@testable import BleperaCLI
@testable import BleperaCommands

@Suite struct OverflowReportTests {
  /// The report of a whole command line behind `blepera overflow`.
  static func report(_ words: String) throws -> any CommandReport {
    let command = try Blepera.parseAsRoot(["overflow"] + words.split(separator: " ").map(String.init))
    return switch command {
    case let command as OverflowEncodeCommand: command.report
    case let command as OverflowDecodeCommand: command.report
    case let command as OverflowFindCommand: command.report
    default: throw Unexpected()
    }
  }

  private struct Unexpected: Error {}

  @Test func `encode prints bits, collisions, the AD structure and the grid`() throws {
    let lines = try Self.report("encode 180D 1001 3333 00000000-0000-0000-0000-000000000039").lines(for: .plain)
    #expect(
      lines.joined(separator: "\n") == """
        bit  61  180D
        bit  57  1001
        bit  57  3333
        bit 120  00000000-0000-0000-0000-000000000039
        collision: bit 57 is shared by 1001, 3333

        AD    14FF4C000100000000000000220000000000000001
        mask  00000000000000220000000000000001

        byte   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
              00  00  00  00  00  00  00  22  00  00  00  00  00  00  00  01
          01   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   · 120
          02   ·   ·   ·   ·   ·   ·   ·  57   ·   ·   ·   ·   ·   ·   ·   ·
          04   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·
          08   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·
          10   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·
          20   ·   ·   ·   ·   ·   ·   ·  61   ·   ·   ·   ·   ·   ·   ·   ·
          40   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·
          80   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·   ·
        """)
  }

  @Test(
    arguments: [
      ("decode 02000000000000200000000000000000", ["bit   1", "bit  61"]),
      (
        "decode 02000000000000200000000000000000 --candidates 180D 180F",
        ["bit  61  maybe  180D", "bit 115  no     180F", "bit   1  set by no candidate"]
      ),
      (
        "decode 02000000000000200000000000000000 --candidates 180D 180A",
        ["bit  61  maybe  180D", "bit   1  maybe  180A"]
      ),
      ("decode 00000000000000000000000000000000", ["no bit is set"]),
      ("decode 00000000000000000000000000000000 --candidates 180F", ["bit 115  no     180F", "no bit is set"]),
    ] as [(String, [String])])
  func `decode prints a line for each candidate and for each bit that none explains`(
    words: String, expected: [String]
  ) throws {
    let lines = try Self.report(words).lines(for: .plain)
    #expect(Array(lines.prefix { !$0.isEmpty }) == expected)
    #expect(lines.dropFirst(expected.count + 1).first?.hasPrefix("mask  0") == true)
    #expect(lines.suffix(10).first == "byte   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15")
  }

  @Test func `encode for Android prints the two arrays of a filter for each UUID`() throws {
    let lines = try Self.report("encode --android 180D 1001 3333").lines(for: .plain)
    #expect(
      lines == [
        "bit  61  180D", "data  0100000000000000200000000000000000", "mask  FF00000000000000200000000000000000", "",
        "bit  57  1001", "data  0100000000000000020000000000000000", "mask  FF00000000000000020000000000000000", "",
        "bit  57  3333", "data  0100000000000000020000000000000000", "mask  FF00000000000000020000000000000000", "",
        "collision: bit 57 is shared by 1001, 3333",
      ])
  }

  private static let area = "0102000000000000200000000000000000"
  private static let info = "1006071EA3DD89E0"

  @Test(
    "decode prints what Android returns where its versions differ",
    arguments: [
      ("02011A0BFF4C00\(info)14FF4C00\(area)", true), ("\(info)\(area)", true), ("4C00\(info)\(area)", true),
      (area, false), ("4C00\(area)", false), ("14FF4C00\(area)", false), (String(area.dropFirst(2)), false),
    ])
  func android(hex: String, isDifferent: Bool) throws {
    let lines = try Self.report("decode \(hex)").lines(for: .plain).filter { $0.hasPrefix("Android") }
    let both = ["Android to 15    \(Self.area)", "Android from 16  \(Self.info)\(Self.area)"]
    #expect(lines == (isDifferent ? both : []))
  }

  @Test func `find prints two UUIDs for each bit, in the order in which it was asked`() throws {
    #expect(
      try Self.report("find 127 0 61").lines(for: .plain) == [
        "bit 127  00000000-0000-0000-0000-000000000045  or 0081",
        "bit   0  00000000-0000-0000-0000-000000000000  or 002C",
        "bit  61  00000000-0000-0000-0000-000000000015  or 00A3",
      ])
    #expect(OverflowFindReport([-1, 128]).bits.isEmpty)
  }

  private static let objects: [(String, String)] = [
    (
      "encode 180D",
      #"{"ad":"14FF4C000100000000000000200000000000000000","collisions":[],"#
        + #""mask":"00000000000000200000000000000000","services":[{"bit":61,"uuid":"180D"}],"version":2}"#
    ),
    (
      "encode 3333 0000180d 1001 0091",
      #"{"ad":"14FF4C000100000000000000220000000000000000","collisions":[["3333","1001","0091"]],"#
        + #""mask":"00000000000000220000000000000000","services":[{"bit":57,"uuid":"3333"},"#
        + #"{"bit":61,"uuid":"0000180D"},{"bit":57,"uuid":"1001"},{"bit":57,"uuid":"0091"}],"version":2}"#
    ),
    (
      "decode 02000000000000200000000000000000",
      #"{"bits":[1,61],"mask":"02000000000000200000000000000000","version":2}"#
    ),
    (
      "decode 1006071EA3DD89E00102000000000000200000000000000000",
      #"{"android":{"joined":"1006071EA3DD89E00102000000000000200000000000000000","#
        + #""last":"0102000000000000200000000000000000"},"bits":[1,61],"#
        + #""mask":"02000000000000200000000000000000","version":2}"#
    ),
    (
      "encode --android 180D",
      #"{"ad":"14FF4C000100000000000000200000000000000000","collisions":[],"#
        + #""mask":"00000000000000200000000000000000","services":[{"bit":61,"filter":"#
        + #"{"data":"0100000000000000200000000000000000","mask":"FF00000000000000200000000000000000"},"#
        + #""uuid":"180D"}],"version":2}"#
    ),
    (
      "decode 02000000000000200000000000000000 --candidates 180D 180F",
      #"{"bits":[1,61],"candidates":[{"bit":61,"maybe":true,"uuid":"180D"},"#
        + #"{"bit":115,"maybe":false,"uuid":"180F"}],"mask":"02000000000000200000000000000000","unexplained":[1],"version":2}"#
    ),
    (
      "find 61 0",
      #"{"bits":[{"bit":61,"shortUUID":"00A3","uuid":"00000000-0000-0000-0000-000000000015"},"#
        + #"{"bit":0,"shortUUID":"002C","uuid":"00000000-0000-0000-0000-000000000000"}],"version":2}"#
    ),
  ]

  @Test(arguments: objects)
  func `with --json a report is one line`(words: String, json: String) throws {
    #expect(try Self.report(words).json == json)
  }

  @Test(
    arguments: [
      "encode 180D 1001 3333", "decode 02000000000000200000000000000000 --candidates 180D 180F", "find 0 61 127",
      "decode 02000000000000200000000000000000",
    ])
  func `color changes nothing but the color`(words: String) throws {
    let report = try Self.report(words)
    let colored = report.lines(for: .colored)
    #expect(colored.contains { $0.contains("\u{1B}[32m") })
    #expect(colored.map(\.withoutColor) == report.lines(for: .plain))
    #expect(report.lines(for: .plain).allSatisfy { !$0.hasSuffix(" ") && $0.count <= 80 })
  }

  @Test(
    arguments: [
      ("encode 180D 1001 3333", ["61", " 61"], ["57", " 57", "collision:"]),
      ("decode 02000000000000200000000000000000 --candidates 180D 180F", ["61", " 61", "maybe"], ["1", "  1"]),
    ] as [(String, Set<String>, Set<String>)])
  func `what deserves a second look is yellow, the other bits are green`(
    words: String, green: Set<String>, yellow: Set<String>
  ) throws {
    let text = try Self.report(words).lines(for: .colored).joined(separator: "\n")
    #expect(Set(text.matches(of: #/\u{1B}\[32m([^\u{1B}]*)/#).map { String($0.1) }) == green)
    #expect(Set(text.matches(of: #/\u{1B}\[33m([^\u{1B}]*)/#).map { String($0.1) }) == yellow)
  }

  @Test func `the page shows what is printed`() throws {
    let transcripts = try PageTranscript.all(in: "docs/overflow-area.md", of: "blepera overflow ")
    #expect(Set(transcripts.map { String($0.words.prefix { $0 != " " }) }) == ["encode", "decode", "find"])
    for transcript in transcripts {
      let report = try Self.report(transcript.words)
      let printed = transcript.words.hasSuffix(" --json") ? [report.json] : report.lines(for: .plain)
      #expect(transcript.isShortened(from: printed), "\(transcript.words)")
    }
  }
}
