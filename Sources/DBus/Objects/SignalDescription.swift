/// A signal that an interface may emit.
package struct SignalDescription: Hashable, Sendable {
  package let name: MemberName
  package let arguments: [ArgumentDescription]

  package init(_ name: MemberName, _ arguments: KeyValuePairs<String, DBusType> = [:]) {
    self.name = name
    self.arguments = [ArgumentDescription](arguments)
  }
}
