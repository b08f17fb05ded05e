import TestSupport
import Testing

/// The inputs in `Fuzz/corpus`: samples, former failures, and inputs that reach more code.
@Suite struct CorpusTests {
  @Test func `each target has inputs`() throws {
    #expect(try ProjectFile.names(in: "Fuzz/corpus") == FuzzTarget.all.map(\.name).sorted())
  }

  @Test(
    arguments: FuzzTarget.all.flatMap { target in
      ((try? ProjectFile.names(in: "Fuzz/corpus/\(target.name)")) ?? []).map { (target.name, $0) }
    })
  func `an input of the corpus keeps its properties`(target: String, input: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == target })
    target.run(try ProjectFile.bytes("Fuzz/corpus/\(target.name)/\(input)"))
  }
}

func require(_ condition: Bool, _ property: @autoclosure () -> String) {
  guard !condition else { return }
  Issue.record("this does not hold: \(property())")
}
