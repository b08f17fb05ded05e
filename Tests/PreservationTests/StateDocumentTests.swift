import AppLink
import FoundationEssentials
import GATT
import Policy
import Testing

@testable import Preservation

@Suite("The preserved state as a document")
struct StateDocumentTests {
  @Test("A state comes back as it was", arguments: Samples.states)
  func roundTrip(state: PreservedState) throws {
    let document = try StateDocument.encode(state)
    #expect(try StateDocument.decode(document) == state)
    #expect(try StateDocument.encode(state) == document)
  }

  @Test("A state is as an encoder of any format has it, too")
  func codable() throws {
    let json = try JSONEncoder().encode(Samples.full)
    #expect(try JSONDecoder().decode(PreservedState.self, from: json) == Samples.full)
  }

  @Test("Every way to end is kept", arguments: TerminationCause.allCases)
  func cause(cause: TerminationCause) throws {
    let state = Samples.full.changed { $0.ended?.cause = cause }
    #expect(try StateDocument.decode(StateDocument.encode(state)) == state)
  }

  @Test(
    "Text is kept to the byte",
    arguments: [
      "", " ", "\r", "\r\n", "a\nb\t", "\u{0}", "\u{1F}", "\u{7F}", "\u{FFFE}", "]]>", "&amp;", "\"'", "🙂", "e\u{301}",
    ]
  )
  func text(text: String) throws {
    let state = Samples.full.changed { app in
      app.identity.name = text
      app.launch = LaunchDescription(arguments: [text], folder: text, environment: ["A": text])
      app.advertisement?.asked?.localName = text
    }
    let app = try #require(try StateDocument.decode(StateDocument.encode(state)).apps.first)
    let found = [
      app.identity.name, app.launch?.arguments.first, app.launch?.folder, app.launch?.environment["A"],
      app.advertisement?.asked?.localName,
    ]
    #expect(found.map { $0.map { Array($0.utf8) } } == Array(repeating: Array(text.utf8), count: 5))
  }

  @Test(
    "Times are kept to the second",
    arguments: [
      (1_700_000_000.999, 1_700_000_000), (-5, 0), (.nan, 0), (.infinity, 253_402_300_799), (1e12, 253_402_300_799),
    ] as [(Double, Double)])
  func time(seconds: Double, kept: Double) throws {
    let expected = Date(timeIntervalSince1970: kept)
    let state = Samples.full.changed {
      $0.since = Date(timeIntervalSince1970: seconds)
      $0.ended?.at = Date(timeIntervalSince1970: seconds)
    }
    #expect(state.apps[0].since == expected)
    #expect(state.apps[0].ended?.at == expected)
    #expect(try StateDocument.decode(StateDocument.encode(state)) == state)
  }

  @Test("Every key is written for a state with everything in it")
  func keys() throws {
    let text = String(decoding: try StateDocument.encode(Samples.full), as: UTF8.self)
    for key in StateKey.allCases { #expect(text.contains("<key>\(key.rawValue)</key>")) }
    #expect(text.contains("<key>Version</key>\n\t<integer>2</integer>"))
  }

  @Test("The checksum is CRC-32 as zlib has it")
  func checksum() {
    #expect(CRC32.checksum(of: Array("123456789".utf8)[...]) == 0xCBF4_3926)
  }
}
