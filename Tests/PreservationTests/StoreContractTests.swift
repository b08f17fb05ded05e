import Testing

@testable import Preservation

@Suite("A store of the preserved state")
struct StoreContractTests {
  @Test("Nothing saved: an empty state, and nothing to say", arguments: StoreKind.allCases)
  func empty(kind: StoreKind) throws {
    let tested = try kind.make()
    #expect(try tested.store.load() == LoadedState(state: PreservedState()))
    #expect(try tested.document() == nil)
  }

  @Test("What was saved last is loaded, again and again", arguments: StoreKind.allCases)
  func last(kind: StoreKind) throws {
    let tested = try kind.make()
    for state in Samples.states {
      try tested.store.save(state)
      #expect(try tested.document() == StateDocument.encode(state))
      for _ in 0..<2 { #expect(try tested.store.load() == LoadedState(state: state)) }
    }
  }

  @Test(
    "Damaged documents are set aside one after another, whole, and the next save is as ever",
    arguments: StoreKind.allCases)
  func damaged(kind: StoreKind) throws {
    let tested = try kind.make()
    let whole = try StateDocument.encode(Samples.full)
    let damages: [([UInt8], Damage)] = [
      ([], .empty), (Array(whole.dropLast()), .unsealed(length: whole.count - 1)), ([1], .unsealed(length: 1)),
    ]
    var kept: [(String, [UInt8])] = []
    for (index, (bytes, damage)) in damages.enumerated() {
      try tested.put(bytes)
      let loaded = try tested.store.load()
      #expect(loaded.state == PreservedState())
      let aside = try #require(loaded.setAside)
      #expect(aside.damage == damage)
      #expect(aside.kept == "\(aside.path).damaged-\(index + 1)")
      #expect("\(aside)".hasPrefix("\(aside.path) \(damage); it is kept as \(aside.kept), and nothing is"))
      kept.append((aside.kept, bytes))
      for (path, bytes) in kept { #expect(try tested.setAside(path) == bytes) }
      #expect(try tested.document() == nil)
      #expect(try tested.store.load() == LoadedState(state: PreservedState()))
    }
    try tested.store.save(Samples.full)
    #expect(try tested.store.load() == LoadedState(state: Samples.full))
  }

  @Test("A document of a newer version stays, and is an error", arguments: StoreKind.allCases)
  func newer(kind: StoreKind) throws {
    let tested = try kind.make()
    let bytes = Seal.sealed(
      Array("<plist version=\"1.0\"><dict><key>Version</key><integer>3</integer></dict></plist>\n".utf8))
    try tested.put(bytes)
    let error = try #require(throws: PreservationFailure.self) { try tested.store.load() }
    guard case .newerVersion(_, 3) = error else { throw error }
    #expect(
      "\(error)".contains(" is of version 3, and this blepera knows 2 at most; use the blepera that wrote it, or"))
    #expect(try tested.document() == bytes)
  }

  @Test("A document of version 1 is loaded, and saved as the current one", arguments: StoreKind.allCases)
  func older(kind: StoreKind) throws {
    let tested = try kind.make()
    try tested.put(Array(VersionOne.document.utf8))
    let loaded = try tested.store.load()
    #expect(loaded == LoadedState(state: VersionOne.state))
    try tested.store.save(loaded.state)
    #expect(try tested.document() == StateDocument.encode(VersionOne.state))
  }

  @Test("A state that contradicts itself is refused, and the one before stays", arguments: StoreKind.allCases)
  func inconsistent(kind: StoreKind) throws {
    let tested = try kind.make()
    try tested.store.save(Samples.full)
    let problem = KeyProblem(path: "Apps[0].Services[0].Place", problem: "is negative")
    #expect(throws: PreservationFailure.inconsistent(problem)) {
      try tested.store.save(Samples.full.changed { $0.services[0].place = -1 })
    }
    #expect(try tested.store.load() == LoadedState(state: Samples.full))
  }
}
