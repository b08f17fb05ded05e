/// A property that an object with the interface may have; which ones it has is the object tree's to say.
package struct PropertyDescription: Hashable, Sendable {
  package enum Access: String, Sendable {
    case read, write
    case readWrite = "readwrite"

    package var isReadable: Bool { self != .write }
    package var isWritable: Bool { self != .read }
  }

  /// `org.freedesktop.DBus.Property.EmitsChangedSignal` (D-Bus specification, "Introspection Data Format").
  package enum EmitsChanged: String, Sendable {
    /// PropertiesChanged with the value.
    case value = "true"
    /// PropertiesChanged with the name alone.
    case invalidates
    /// It never changes.
    case constant = "const"
    /// It changes without a signal.
    case nothing = "false"
  }

  package let name: MemberName
  package let type: DBusType
  package let access: Access
  package let emitsChanged: EmitsChanged

  package init(_ name: MemberName, _ type: DBusType, _ access: Access = .read, emitsChanged: EmitsChanged = .value) {
    self.name = name
    self.type = type
    self.access = access
    self.emitsChanged = emitsChanged
  }
}
