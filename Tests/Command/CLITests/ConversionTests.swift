import ArgumentParser
import BleperaProfile
import BleperaPropertyLists
import BleperaSimulation
import TestSupport
import Testing

@testable import BleperaCLI
@testable import BleperaLabCLI

/// The tests with many documents let others run between them, which have time limits.
@Suite(.serialized) struct ConversionTests {
  private static func convert(_ bytes: [UInt8], to form: PropertyListWriter.Form) throws -> [UInt8] {
    let conversion = Conversion(bytes, file: "f", to: form)
    #expect(conversion.diagnostics.map(\.description) == [] && conversion.refusals == [])
    return try #require(conversion.result)
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Together 2,000 documents.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a random document is the same through text and XML`(seed: UInt64) async throws {
    for number in 0..<100 as Range<UInt64> {
      await Task.yield()
      var random = RandomDocument(seed: seed * 100 + number)
      let document = random.document()
      let xml = Array(document.xml().utf8)
      let text = try Self.convert(xml, to: .text)
      let back = try Self.convert(text, to: .xml)
      guard back == xml else {
        Issue.record("document \(seed * 100 + number):\n\(Self.text(xml))\n\(Self.text(text))\n\(Self.text(back))")
        return
      }
      guard number % 10 == 0 else { continue }
      #expect(try Self.convert(text, to: .text) == text)
    }
  }

  @Test(
    arguments: [
      ("// a\n{ /* b */ A = 5; // c\n}", "{ A = 5; }"),
      ("<!-- a --><plist><!-- b --><dict><key>A</key><!-- c --><string>5</string></dict></plist>", "{ A = 5; }"),
    ])
  func `comments are left out`(from: String, to: String) throws {
    let text = Self.text(try Self.convert(Array(from.utf8), to: .text))
    #expect(text.split(whereSeparator: \.isWhitespace).joined(separator: " ") == to)
  }

  static let scenarios = (try? ProjectFile.names(in: "scenarios")) ?? []

  private static func scenario(_ bytes: [UInt8]) throws -> Scenario {
    let check = Scenario.check(bytes, file: "\(ProjectFile.root)/scenarios/f.plist") { path in
      (try? ProjectFile.bytes(at: path)).map { .success($0) } ?? .failure(UnreadableProfile(reason: "no such file"))
    }
    #expect(check.diagnostics.map(\.description) == [])
    var scenario = try #require(check.scenario)
    for index in scenario.steps.indices { scenario.steps[index].line = 0 }
    return scenario
  }

  @Test(arguments: scenarios)
  func `a shipped scenario is the same in each form, and a third of the lines in text`(name: String) throws {
    let bytes = try ProjectFile.bytes("scenarios/\(name)")
    let (xml, text) = (try Self.convert(bytes, to: .xml), try Self.convert(bytes, to: .text))
    #expect(text.count { $0 == 0x0A } * 3 <= xml.count { $0 == 0x0A })
    let scenario = try Self.scenario(bytes)
    #expect(try Self.scenario(xml) == scenario)
    #expect(try Self.scenario(text) == scenario)
    #expect(try Self.convert(xml, to: .text) == text)
  }

  @Test(arguments: ShippedProfiles.paths)
  func `a shipped profile is the same in each form`(path: String) throws {
    let bytes = try ProjectFile.bytes(at: path)
    let profile = try #require(Profile.check(bytes, file: "f").profile)
    for form in PropertyListWriter.Form.allCases {
      let check = Profile.check(try Self.convert(bytes, to: form), file: "f")
      #expect(check.diagnostics == [] && check.profile == profile)
    }
  }

  @Test(
    arguments: [
      ("{ BLEPeripheral = { Services = (); }; Own = <*I5>; }", PropertyListWriter.Form.text),
      ("{ BLEPeripheral = { Services = ({ UUID = 180D; Primary = NO; }); }; Own = (<*R1.5>, <*BY>); }", .text),
      ("{ A = <*D2024-02-29 12:00:00 +0000>; }", .text), ("{ \"a b\" = \"\"; \"\" = \"\\U0007\"; }", .text),
    ])
  func `text is written as expected`(line: String, form: PropertyListWriter.Form) throws {
    let text = Self.text(try Self.convert(Array(line.utf8), to: form))
    #expect(text.split(whereSeparator: \.isWhitespace).joined(separator: " ") == line)
  }

  @Test func `text becomes XML, and XML becomes text`() {
    let (text, xml) = (Array("{}".utf8), Array("<plist><dict/></plist>".utf8))
    #expect(Conversion(text, file: "f").form == .xml && Conversion(xml, file: "f").form == .text)
    #expect(Conversion(text, file: "f", to: .text).form == .text)
  }

  @Test func `what cannot be written is reported`() {
    let bell = Conversion(Array(#"{ A = ("\U0007"); }"#.utf8), file: "f", to: .xml)
    #expect(bell.refusals == ["A[0]: XML has no character U+0007"] && bell.result == nil)
    let broken = Conversion(Array("{ A = b }".utf8), file: "f")
    #expect(broken.diagnostics.count == 1 && broken.result == nil)
    // { A = the date 0.5; }: the objects, their offsets, and the trailer.
    let half =
      Array("bplist00".utf8) + [0xD1, 1, 2, 0x51, 0x41, 0x33, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0, 8, 11, 13]
      + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 22]
    #expect(
      Conversion(half, file: "f").refusals == ["A: the text form has dates of whole seconds from the year 1 to 9999"])
  }

  @Test(arguments: [["--to", "binary"], ["-o", "Info.bplist"]])
  func `whoever wants the binary form learns what makes it`(options: [String]) {
    let error = #expect(throws: (any Error).self) { try ConvertCommand.parse(["a.plist"] + options) }
    #expect(error.map { ConvertCommand.fullMessage(for: $0).contains("plistutil") } == true)
  }
}
