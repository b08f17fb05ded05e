/// One argument of a method or a signal; its name is for readers of the introspection only.
package struct ArgumentDescription: Hashable, Sendable {
  package let name: String
  package let type: DBusType

  package init(_ name: String, _ type: DBusType) {
    self.name = name
    self.type = type
  }
}

extension [ArgumentDescription] {
  init(_ pairs: KeyValuePairs<String, DBusType>) {
    self = pairs.map { ArgumentDescription($0.key, $0.value) }
  }

  var signature: String { map(\.type.signature).joined() }
}
