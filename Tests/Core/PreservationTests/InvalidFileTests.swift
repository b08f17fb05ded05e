import BleperaBluetooth
import Testing

@testable import BleperaPreservation

@Suite("A state file with a right checksum and wrong contents")
struct InvalidFileTests {
  /// The full state's file with the first occurrence of a text replaced.
  private func file(_ old: String, _ new: String) throws -> [UInt8] {
    var text = String(decoding: try Seal.opened(StateFile.encode(Samples.full)), as: UTF8.self)
    let place = try #require(text.firstRange(of: old), "the file does not have \(old)")
    text.replaceSubrange(place, with: new)
    return Seal.sealed(Array(text.utf8))
  }

  @Test(
    "The error names the key",
    arguments: [
      (#"{"apps":"#, #"{"apqs":"#, "apps is missing"),
      (#""version":6"#, #""varsion":6"#, "version is missing"),
      (#""identity":"#, #""identification":"#, "apps[0].identity is missing"),
      (
        #"{"peripheral":{"#, #"{"central":{"#, "apps[0].managers[0].content.central.connections is missing"
      ),
      (#""order":2"#, #""order":"2""#, "apps[0].managers[0].content.peripheral.advertisement.order is not of type"),
      (#""cause":"crash""#, #""cause":"crush""#, "apps[0].termination.cause cannot be read"),
      (#""at":"2023-11-14"#, #""at":"2023-11-34"#, "apps[0].termination cannot be read: Expected date string"),
      (
        #""notify""#, #""notfy""#,
        "apps[0].services[0].definition.characteristics[1].properties cannot be read: the name \"notfy\" is"
      ),
      (
        #""serviceUUIDs":["180D"]"#, #""serviceUUIDs":["18XD"]"#,
        "apps[0].managers[0].content.peripheral.advertisement.requested.serviceUUIDs[0] cannot be read: "
          + "\"18XD\" is not a 16-, 32- or 128-bit UUID"
      ),
    ])
  func key(old: String, new: String, message: String) throws {
    let bytes = try file(old, new)
    let error = try #require(throws: StateFileError.self) { try StateFile.decode(bytes) }
    #expect("\(error)".hasPrefix("the state file is not valid: \(message)"), "\(error)")
    #expect("\(error)".hasSuffix("; move it away and start the apps again."))
  }

  @Test(
    "Contents that are not JSON are named so",
    arguments: [
      (#"{"apps":"#, #"{"apps""#), (#"{"apps":[{"#, #"{"apps":["#), (#","version":6}"#, #","version":6}}"#),
      (#""version":6"#, #""version":06"#),
      (#""suspendedError":17"#, #""suspendedError":256"#),
    ])
  func syntax(old: String, new: String) throws {
    let bytes = try file(old, new)
    #expect(throws: StateFileError.corrupt(.notJSON)) { try StateFile.decode(bytes) }
  }

  @Test("Bytes that are not text are not parsed")
  func notText() throws {
    for body in [
      [], [0xFF, 0xFE], Array("{\"version\":".utf8) + [UInt8](repeating: 0xFF, count: 9) + Array("6}".utf8),
    ] {
      #expect(throws: StateFileError.corrupt(.notJSON)) { try StateFile.decode(Seal.sealed(body)) }
    }
  }

  @Test("Nesting that no stack holds is not parsed", arguments: [1_000, 100_000])
  func nesting(depth: Int) throws {
    let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(throws: StateFileError.corrupt(.notJSON)) {
      try StateFile.decode(Seal.sealed(Array(#"{"apps":\#(arrays),"version":6}"#.utf8)))
    }
  }

  @Test("Another version is not corrupt, whatever other keys it has", arguments: [0, 2, 5, 7, Int.max])
  func otherVersion(version: Int) throws {
    let bytes = Seal.sealed(Array(#"{"apps":7,"version":\#(version)}"#.utf8))
    let error = try #require(throws: StateFileError.self) { try StateFile.decode(bytes) }
    #expect(error == .unknownVersion(version))
    #expect("\(error)".hasPrefix("the state file has version \(version), and this blepera reads version 6; use"))
  }

  @Test("Any change under a right checksum is an error or a consistent state")
  func anything() throws {
    let body = Array(try Seal.opened(StateFile.encode(Samples.full)))
    #expect((1..<1_000).contains(Mutations.consistent(of: body, tokens: "{}[],:-0\"\\")))
  }
}

/// Random changes of a file's contents, under a right checksum.
enum Mutations {
  /// Makes 1,000 changes, and returns the number that leave a state, each of which must be consistent.
  static func consistent(of body: [UInt8], tokens: String) -> Int {
    var random = SplitMix64(seed: 5)
    var states = 0
    for _ in 0..<1_000 {
      var changed = body
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: changed.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: changed[place] = UInt8.random(in: .min ... .max, using: &random)
        case 1: changed.remove(at: place)
        case 2: changed.insert(Array(tokens.utf8).randomElement(using: &random) ?? 0, at: place)
        default:
          let end = min(changed.count, place + Int.random(in: 1...200, using: &random))
          changed.insert(contentsOf: Array(changed[place..<end]), at: Int.random(in: changed.indices, using: &random))
        }
      }
      do throws(StateFileError) {
        let state = try StateFile.decode(Seal.sealed(changed))
        states += 1
        #expect(state.inconsistency == nil)
      } catch {
        guard case .corrupt = error else {
          guard case .unknownVersion = error else {
            Issue.record(error)
            continue
          }
          continue
        }
      }
    }
    return states
  }
}
