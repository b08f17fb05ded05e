import BleperaDBus
import Testing

@Suite("Signals of one object")
struct ObjectTreeSignalsTests {
  private static let path: ObjectPath = "/app/service0"

  @Test("The signals of an added or removed object are those of the comparison of two trees")
  func sameAsComparison() throws {
    let tree = SampleTree.tree
    var without = tree
    without.remove(Self.path)
    #expect([try #require(tree.interfacesAdded(at: Self.path))] == ObjectTree.changes(from: without, to: tree))
    #expect([try #require(tree.interfacesRemoved(at: Self.path))] == ObjectTree.changes(from: tree, to: without))
  }

  @Test("An object that is missing or below no manager causes no signal", arguments: ["/app/none", "/app"])
  func none(text: String) throws {
    let path = try #require(ObjectPath(text))
    #expect(SampleTree.tree.interfacesAdded(at: path) == nil)
    #expect(SampleTree.tree.interfacesRemoved(at: path) == nil)
  }
}
