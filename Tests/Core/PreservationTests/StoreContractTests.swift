import BleperaBluetooth
import Testing

@testable import BleperaPreservation

@Suite("A store of the preserved state")
struct StoreContractTests {
  @Test("Nothing saved: an empty state, and no file to report", arguments: StoreKind.allCases)
  func empty(kind: StoreKind) throws {
    let tested = try kind.make()
    #expect(try tested.store.load() == LoadedState(state: PreservedState()))
    #expect(try tested.file() == nil)
  }

  @Test("What was saved last is loaded, again and again", arguments: StoreKind.allCases)
  func last(kind: StoreKind) throws {
    let tested = try kind.make()
    for state in Samples.states {
      try tested.store.save(state)
      #expect(try tested.file() == StateFile.encode(state))
      for _ in 0..<2 { #expect(try tested.store.load() == LoadedState(state: state)) }
    }
  }

  @Test(
    "Corrupt files are quarantined one after another, whole, and the next save works",
    arguments: StoreKind.allCases)
  func damaged(kind: StoreKind) throws {
    let tested = try kind.make()
    let whole = try StateFile.encode(Samples.full)
    let damages: [([UInt8], StateFileCorruption)] = [
      ([], .empty), (Array(whole.dropLast()), .truncated(length: whole.count - 1)), ([1], .truncated(length: 1)),
    ]
    var kept: [(String, [UInt8])] = []
    for (index, (bytes, damage)) in damages.enumerated() {
      try tested.put(bytes)
      let loaded = try tested.store.load()
      #expect(loaded.state == PreservedState())
      let aside = try #require(loaded.quarantined)
      #expect(aside.corruption == damage)
      #expect(aside.kept == "\(aside.path).damaged-\(index + 1)")
      #expect("\(aside)".hasPrefix("\(aside.path) \(damage); it is kept as \(aside.kept), and nothing is"))
      kept.append((aside.kept, bytes))
      for (path, bytes) in kept { #expect(try tested.quarantined(path) == bytes) }
      #expect(try tested.file() == nil)
      #expect(try tested.store.load() == LoadedState(state: PreservedState()))
    }
    try tested.store.save(Samples.full)
    #expect(try tested.store.load() == LoadedState(state: Samples.full))
  }

  @Test("A file of a newer version stays in place and is an error", arguments: StoreKind.allCases)
  func newer(kind: StoreKind) throws {
    let tested = try kind.make()
    let bytes = Seal.sealed(
      Array(#"{"version":7}"#.utf8))
    try tested.put(bytes)
    let error = try #require(throws: PreservationFailure.self) { try tested.store.load() }
    guard case .unknownVersion(_, 7) = error else { throw error }
    #expect(
      "\(error)".contains(" has version 7, and this blepera reads version 6; use the blepera that wrote it, or"))
    #expect(try tested.file() == bytes)
  }

  @Test("An inconsistent state is refused, and the one before stays", arguments: StoreKind.allCases)
  func inconsistent(kind: StoreKind) throws {
    let tested = try kind.make()
    try tested.store.save(Samples.full)
    let problem = InvalidState(path: "apps[0].services[0].handles", problem: "do not match the service's definition")
    #expect(throws: PreservationFailure.inconsistent(problem)) {
      try tested.store.save(Samples.full.changed { $0.services[0].handles.end = 7 })
    }
    #expect(try tested.store.load() == LoadedState(state: Samples.full))
  }
}
