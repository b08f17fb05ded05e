import FoundationEssentials

/// Older documents, brought to the current version one step after another.
enum StateMigration {
  /// The step at index n makes version n + 2 of version n + 1. What it does not find it passes over: the reader says
  /// what is missing.
  private static let steps: [@Sendable (inout PropertyTree) -> Void] = [addKeptValues]

  static func current(_ document: Data, from version: Int) throws(Damage) -> Data {
    guard version < StateDocument.version else { return document }
    var tree = try StateDocument.read(PropertyTree.self, document)
    for step in steps[(version - 1)...] { step(&tree) }
    tree[.version] = .integer(StateDocument.version)
    do {
      return Data(try StateDocument.propertyList(tree))
    } catch {
      throw .notPropertyList
    }
  }

  /// Version 2 keeps what was written to descriptors, and updates for subscribers.
  @Sendable private static func addKeptValues(_ state: inout PropertyTree) {
    state.changeEach(.apps) { app in
      app.changeEach(.services) { $0[.descriptorValues] = .array([]) }
      app.changeEach(.subscribers) { $0[.updates] = .array([]) }
    }
  }
}
