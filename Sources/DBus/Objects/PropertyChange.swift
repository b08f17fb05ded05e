/// A value that a caller of Properties.Set may give to a property; its type is the property's.
package struct PropertyChange: Hashable, Sendable {
  package let path: ObjectPath
  package let interface: InterfaceName
  package let property: MemberName
  package let value: DBusValue
}
