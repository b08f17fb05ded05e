import DBus

/// The objects of the server, and the signals that tell of them.
extension BlueZServer {
  /// Adds one of our own interfaces; a fault there is ours, and leaves the object without it.
  func declare(_ path: ObjectPath, _ interface: InterfaceDescription, _ properties: [(String, DBusValue)] = []) {
    do throws(ObjectTreeFault) {
      try tree.add(path, interface: interface, properties: properties)
    } catch {
      assertionFailure("\(error)")
    }
  }

  /// Tells of an object that has come.
  func announce(_ path: ObjectPath) {
    flush()
    if let signal = tree.interfacesAdded(at: path) { emit(signal) }
  }

  func removeObject(_ path: ObjectPath) {
    flush()
    if let signal = tree.interfacesRemoved(at: path) { emit(signal) }
    tree.remove(path)
  }

  /// Gives a property a value, nil for none; told with the next flush. `isRepeated` tells of one that is the same too.
  func set(
    _ path: ObjectPath, _ interface: InterfaceName, _ property: MemberName, _ value: DBusValue?,
    isRepeated: Bool = false
  ) {
    guard tree.contains(path, interface: interface) else { return }
    let old = tree.value(path, interface, property)
    guard isRepeated || old != value else { return }
    do throws(ObjectTreeFault) {
      try tree.update(path, interface, property, to: value)
    } catch {
      return assertionFailure("\(error)")
    }
    // Two values of one property are two signals.
    if pending.contains(where: { $0.path == path && $0.interface == interface && $0.names(property) }) { flush() }
    if let index = pending.firstIndex(where: { $0.path == path && $0.interface == interface }) {
      pending[index].values.append((property, value))
    } else {
      pending.append(PendingChange(path: path, interface: interface, values: [(property, value)]))
    }
  }

  func flush() {
    let changes = pending
    pending = []
    for change in changes { emit(change.signal) }
  }

  private func emit(_ signal: Signal) {
    connection.assumeIsolated { connection in
      // A bus that is gone needs no signals.
      do { try connection.emit(signal) } catch { return }
    }
  }
}
