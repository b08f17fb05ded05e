/// One signal of one object, for a tree that is too large to be compared with what it was.
extension ObjectTree {
  /// What to emit when the object has come; nil where no object manager is above it.
  package func interfacesAdded(at path: ObjectPath) -> Signal? {
    guard let object = objects[path], let manager = manager(of: path) else { return nil }
    return .interfacesAdded(manager: manager, object: path, object.managed.interfacesAndProperties)
  }

  /// What to emit before the object is removed; nil where no object manager is above it.
  package func interfacesRemoved(at path: ObjectPath) -> Signal? {
    guard let object = objects[path], let manager = manager(of: path) else { return nil }
    return .interfacesRemoved(manager: manager, object: path, object.managed.map(\.name))
  }
}
