import DBus

/// Properties of one interface that have changed and are not told yet.
struct PendingChange: Sendable {
  let path: ObjectPath
  let interface: InterfaceName
  /// Nil for one that is gone.
  var values: [(name: MemberName, value: DBusValue?)]

  func names(_ property: MemberName) -> Bool { values.contains { $0.name == property } }

  var signal: Signal {
    .propertiesChanged(
      path, interface, changed: values.compactMap { entry in entry.value.map { (entry.name.rawValue, $0) } },
      invalidated: values.filter { $0.value == nil }.map(\.name.rawValue))
  }
}
