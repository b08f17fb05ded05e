/// An interface of one object, with the values of the properties that the object has.
struct ExportedInterface: Sendable {
  let description: InterfaceDescription
  /// In the order of the description; nil for a property that this object does not have, or that is only written.
  var values: [DBusValue?]

  init(_ description: InterfaceDescription) {
    self.description = description
    values = Array(repeating: nil, count: description.properties.count)
  }

  var name: InterfaceName { description.name }

  func index(of property: String) -> Int? { description.properties.firstIndex { $0.name.rawValue == property } }

  /// Readable properties with a value, in the order of the description.
  var readable: [(property: PropertyDescription, value: DBusValue)] {
    zip(description.properties, values).compactMap { property, value in
      guard let value, property.access.isReadable else { return nil }
      return (property, value)
    }
  }

  /// `a{sv}`.
  var properties: DBusValue { .properties(readable.map { ($0.property.name.rawValue, $0.value) }) }
}
