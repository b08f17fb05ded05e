import Testing

@testable import Preservation

@Suite("A document of the preserved state with a right checksum and wrong contents")
struct WrongKeyTests {
  @Test(
    "The error names the key",
    arguments: [
      ("<key>Apps</key>", "<key>Apqs</key>", "Apps, which is missing"),
      (
        "<integer>2</integer></dict></plist>", "<integer>0</integer></dict></plist>",
        "Version, which cannot be taken: there is no version 0"
      ),
      ("<key>Version</key>", "<key>Varsion</key>", "Version, which is missing"),
      ("<key>Identity</key>", "<key>Identification</key>", "Apps[0].Identity, which is missing"),
      (
        "<key>Application</key><integer>4</integer>", "<key>Application</key><string>4</string>",
        "Apps[0].Services[0].Application, which is not of the type Int"
      ),
      (
        "<integer>17</integer>", "<integer>256</integer>",
        "Apps[0].Identity.Rules.SuspendedError, which cannot be taken"
      ),
      ("<string>crash</string>", "<string>crush</string>", "Apps[0].Ended.Cause, which cannot be taken"),
      (
        "<string>notify</string>", "<string>notfy</string>",
        "Apps[0].Services[0].Definition.Characteristics[1].Properties, which cannot be taken: \"notfy\" is not"
      ),
      (
        "<string>180D</string>", "<string>18XD</string>",
        "Apps[0].Advertisement.Asked.ServiceUUIDs[0], which cannot be taken: \"18XD\" is not a 16-, 32- or 128-bit UUID"
      ),
    ])
  func key(old: String, new: String, message: String) throws {
    let document = try Resealed.document(old, new)
    let error = try #require(throws: StateDocumentError.self) { try StateDocument.decode(document) }
    #expect(
      "\(error)".hasPrefix("the preserved state is wrong at \(message)"), "\(error)")
    #expect("\(error)".hasSuffix("; move it away, and start the apps again."))
  }

  @Test(
    "What blepera never writes is not parsed",
    arguments: [
      ("<key>Version</key>", "<!-- nothing --><key>Version</key>"),
      ("<key>Version</key>", "<![CDATA[]]><key>Version</key>"),
      ("<integer>4</integer>", "<integer >4</integer>"), ("<integer>4</integer>", "<integer>4"),
      ("<plist version=\"1.0\">", "<plist>"), ("<key>Version</key>", "<"), ("</plist>", ""),
      ("</plist>", "</plist></dict>"),
    ])
  func markup(old: String, new: String) throws {
    let document = try Resealed.document(old, new)
    #expect(throws: StateDocumentError.damaged(.notPropertyList)) { try StateDocument.decode(document) }
  }

  @Test("Bytes that are no text are not parsed")
  func notText() throws {
    let digits = Array("<integer>".utf8)
    var body = try Resealed.body()
    let place = try #require(body.firstRange(of: digits)).upperBound
    body.insert(contentsOf: [UInt8](repeating: 0xFF, count: 9), at: place)
    #expect(throws: StateDocumentError.damaged(.notPropertyList)) { try StateDocument.decode(Seal.sealed(body)) }
    #expect(throws: StateDocumentError.damaged(.notPropertyList)) { try StateDocument.decode(Seal.sealed([])) }
  }

  @Test("Nesting that no stack holds is not parsed", arguments: [32, 33, 100_000])
  func nesting(depth: Int) throws {
    let arrays = String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
    let document = Seal.sealed(Array("<plist version=\"1.0\">\(arrays)</plist>\n".utf8))
    let error = try #require(throws: StateDocumentError.self) { try StateDocument.decode(document) }
    #expect((error == .damaged(.notPropertyList)) == (depth > 32))
  }

  @Test("A newer version is no damage, whatever else it has", arguments: [3, Int.max])
  func newer(version: Int) throws {
    let document = Seal.sealed(
      Array("<plist version=\"1.0\"><dict><key>Version</key><integer>\(version)</integer></dict></plist>\n".utf8))
    let error = try #require(throws: StateDocumentError.self) { try StateDocument.decode(document) }
    #expect(error == .newerVersion(version))
    #expect("\(error)".hasPrefix("the preserved state is of version \(version), and this blepera knows 2 at most; use"))
  }

  @Test("Any change under a right checksum is an error or a state that is consistent")
  func anything() throws {
    let body = try Resealed.body()
    var random = Splitmix(state: 5)
    var states = 0
    for _ in 0..<1_000 {
      var changed = body
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: changed.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: changed[place] = UInt8.random(in: .min ... .max, using: &random)
        case 1: changed.remove(at: place)
        case 2: changed.insert(Array("<>&/;-0\"".utf8).randomElement(using: &random) ?? 0, at: place)
        default:
          let end = min(changed.count, place + Int.random(in: 1...200, using: &random))
          changed.insert(contentsOf: Array(changed[place..<end]), at: Int.random(in: changed.indices, using: &random))
        }
      }
      do throws(StateDocumentError) {
        let state = try StateDocument.decode(Seal.sealed(changed))
        states += 1
        #expect(state.problem == nil)
      } catch {
        guard case .damaged = error else {
          guard case .newerVersion(3...) = error else { Issue.record(error); continue }
          continue
        }
      }
    }
    #expect((1..<1_000).contains(states))
  }
}
