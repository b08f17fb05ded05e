import BleperaDBus
import BleperaLoop

/// The objects of the server and their signals.
extension BlueZServer {
  /// Adds an interface of the server; on a programming error the object remains without the interface.
  func declare(_ path: ObjectPath, _ interface: InterfaceDescription, _ properties: [(String, DBusValue)] = []) {
    do throws(ObjectTreeFault) {
      try tree.add(path, interface: interface, properties: properties)
    } catch {
      assertionFailure("\(error)")
    }
  }

  /// Announces an added object.
  func announce(_ path: ObjectPath) {
    flush()
    if let signal = tree.interfacesAdded(at: path) { emit(signal) }
  }

  func removeObject(_ path: ObjectPath) {
    flush()
    if let signal = tree.interfacesRemoved(at: path) { emit(signal) }
    tree.remove(path)
  }

  /// Sets a property, or removes it with nil, and signals it with the next flush; an equal value only if `isRepeated`.
  func set(
    _ path: ObjectPath, _ interface: InterfaceName, _ property: MemberName, to value: DBusValue?,
    isRepeated: Bool = false
  ) {
    guard tree.contains(path, interface: interface) else { return }
    let old = tree.value(path, interface, property)
    guard isRepeated || old != value else { return }
    guard store(path, interface, property, to: value) else { return }
    // Two values of one property need two signals.
    if pending.contains(where: { $0.path == path && $0.interface == interface && $0.names(property) }) { flush() }
    if let index = pending.firstIndex(where: { $0.path == path && $0.interface == interface }) {
      pending[index].values.append((property, value))
    } else {
      pending.append(PendingChange(path: path, interface: interface, values: [(property, value)]))
    }
  }

  /// Sets a property without a signal. False if the object has no such property of that type, a programming error.
  @discardableResult
  func store(
    _ path: ObjectPath, _ interface: InterfaceName, _ property: MemberName, to value: DBusValue?
  ) -> Bool {
    do throws(ObjectTreeFault) {
      try tree.update(path, interface, property, to: value)
      return true
    } catch {
      assertionFailure("\(error)")
      return false
    }
  }

  func flush() {
    let changes = pending
    pending = []
    for change in changes { emit(change.signal) }
  }

  private func emit(_ signal: Signal) {
    connection.assumeIsolated { connection in
      // A lost bus needs no signals.
      do { try connection.emit(signal) } catch { return }
    }
  }
}

/// Changed properties of one interface that are not signaled yet.
struct PendingChange: Sendable {
  let path: ObjectPath
  let interface: InterfaceName
  /// Nil for a property that was removed.
  var values: [(name: MemberName, value: DBusValue?)]

  func names(_ property: MemberName) -> Bool { values.contains { $0.name == property } }

  var signal: Signal {
    .propertiesChanged(
      path, interface, changed: values.compactMap { entry in entry.value.map { (entry.name.rawValue, $0) } },
      invalidated: values.filter { $0.value == nil }.map(\.name.rawValue))
  }
}
