import BleperaBluetooth
import FoundationEssentials
import TestSupport
import Testing

@testable import BleperaPreservation

@Suite("The preserved state as a file")
struct StateFileTests {
  @Test("A state comes back as it was", arguments: Samples.states)
  func roundTrip(state: PreservedState) throws {
    let document = try StateFile.encode(state)
    #expect(try StateFile.decode(document) == state)
    #expect(try StateFile.encode(state) == document)
  }

  @Test("A state can be written by any encoder")
  func codable() throws {
    let json = try JSONEncoder().encode(Samples.full)
    #expect(try JSONDecoder().decode(PreservedState.self, from: json) == Samples.full)
  }

  @Test("Every way to end is kept", arguments: TerminationCause.allCases)
  func cause(cause: TerminationCause) throws {
    let state = Samples.full.changed { $0.termination?.cause = cause }
    #expect(try StateFile.decode(StateFile.encode(state)) == state)
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
      app.advertisement?.requested?.localName = text
    }
    let app = try #require(try StateFile.decode(StateFile.encode(state)).apps.first)
    let found = [
      app.identity.name, app.launch?.arguments.first, app.launch?.folder, app.launch?.environment["A"],
      app.advertisement?.requested?.localName,
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
      $0.termination?.at = Date(timeIntervalSince1970: seconds)
    }
    #expect(state.apps[0].since == expected)
    #expect(state.apps[0].termination?.at == expected)
    #expect(try StateFile.decode(StateFile.encode(state)) == state)
  }

  @Test("A file of this version is written and read to the byte")
  func format() throws {
    let file = try ProjectFile.bytes("Tests/Core/PreservationTests/Fixtures/version-6.json")
    #expect(try StateFile.encode(VersionSix.state) == file)
    #expect(try StateFile.decode(file) == VersionSix.state)
  }

  @Test("A file without screen and execution is read")
  func withoutScreen() throws {
    let state = try StateFile.decode(try ProjectFile.bytes("Tests/Core/PreservationTests/Fixtures/version-6.json"))
    #expect(state.screen == nil)
    #expect(state.apps.allSatisfy { $0.execution == nil })
  }

  @Test(
    "The screen, and how an app ran, are kept",
    arguments: [nil, .locked, .beforeFirstUnlock] as [PreservedScreen?],
    [nil, PreservedExecution(isSuspended: true, isFrontmost: false), .init(isSuspended: true, isFrontmost: true)])
  func execution(screen: PreservedScreen?, execution: PreservedExecution?) throws {
    var state = Samples.full.changed { $0.execution = execution }
    state.screen = screen
    #expect(try StateFile.decode(StateFile.encode(state)) == state)
  }

  @Test("The checksum is CRC-32 as zlib has it")
  func checksum() {
    #expect(CRC32.checksum(of: Array("123456789".utf8)[...]) == 0xCBF4_3926)
  }
}
