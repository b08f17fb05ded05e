/// The objects of a connection with their interfaces and properties.
package struct ObjectTree: Sendable {
  private(set) var objects: [ObjectPath: ExportedObject] = [:]
  private var nextPlace = 0
  /// Whether an object manager reports Introspectable, and Properties of objects that have some, as bluetoothd does.
  private let listsImplied: Bool

  package init(listsImplied: Bool = false) { self.listsImplied = listsImplied }

  /// In the order they were added.
  package var paths: [ObjectPath] { sorted.map(\.path) }

  var sorted: [ExportedObject] { objects.values.sorted { $0.place < $1.place } }

  package func contains(_ path: ObjectPath, interface: InterfaceName? = nil) -> Bool {
    guard let object = objects[path] else { return false }
    return interface.map { object.interface($0) != nil } ?? true
  }

  /// Adds an interface to an object, which the first interface creates. The object lacks a property that is declared
  /// but not given. Properties, Introspectable and Peer are implied.
  package mutating func add(
    _ path: ObjectPath, interface description: InterfaceDescription, properties: [(String, DBusValue)] = []
  ) throws(ObjectTreeFault) {
    var object = objects[path] ?? ExportedObject(path: path, place: nextPlace, listsImplied: listsImplied)
    guard object.interface(description.name) == nil,
      !InterfaceDescription.implied.contains(where: { $0.name == description.name })
    else { throw .interfaceExists(path, description.name) }
    var interface = ExportedInterface(description)
    for (name, value) in properties {
      guard let index = interface.index(of: name) else { throw .unknownProperty(path, description.name, name) }
      guard value.isOf(description.properties[index].type) else {
        throw .typeMismatch(path, description.properties[index], value)
      }
      interface.values[index] = value
    }
    object.interfaces.append(interface)
    if object.place == nextPlace { nextPlace += 1 }
    objects[path] = object
  }

  /// Removes an object but not the objects below it; returns whether the object existed.
  @discardableResult
  package mutating func remove(_ path: ObjectPath) -> Bool { objects.removeValue(forKey: path) != nil }

  /// Sets a property regardless of its access, or removes the property with nil.
  package mutating func update(
    _ path: ObjectPath, _ interface: InterfaceName, _ property: MemberName, to value: DBusValue?
  ) throws(ObjectTreeFault) {
    guard var object = objects[path] else { throw .unknownObject(path) }
    guard let place = object.interfaces.firstIndex(where: { $0.name == interface }) else {
      throw .unknownInterface(path, interface)
    }
    guard let index = object.interfaces[place].index(of: property.rawValue) else {
      throw .unknownProperty(path, interface, property.rawValue)
    }
    let description = object.interfaces[place].description.properties[index]
    if let value, !value.isOf(description.type) { throw .typeMismatch(path, description, value) }
    object.interfaces[place].values[index] = value
    objects[path] = object
  }

  /// Whether an object is at or below the path; always true for the root.
  package func isNode(_ path: ObjectPath) -> Bool {
    path.isRoot || objects[path] != nil || objects.keys.contains { path.isAncestor(of: $0) }
  }

  /// The closest object above the path that implements ObjectManager.
  package func manager(of path: ObjectPath) -> ObjectPath? {
    var above = path.parent
    while let candidate = above {
      if objects[candidate]?.isManager == true { return candidate }
      above = candidate.parent
    }
    return nil
  }
}

struct ExportedObject: Sendable {
  let path: ObjectPath
  /// Increases with every object added to the tree.
  let place: Int
  /// The interfaces in the order in which they were added.
  var interfaces: [ExportedInterface] = []

  func interface(_ name: InterfaceName) -> ExportedInterface? { interfaces.first { $0.name == name } }

  /// Whether ``managed`` has the implied interfaces.
  var listsImplied = false

  /// The interfaces that an object manager reports: all except the specification's own, unless these are listed.
  var managed: [ExportedInterface] {
    let own = interfaces.filter { $0.name != .objectManager }
    guard listsImplied else { return own }
    let hasProperties = own.contains { !$0.description.properties.isEmpty }
    return [ExportedInterface(.introspectable)] + own + (hasProperties ? [ExportedInterface(.properties)] : [])
  }

  var isManager: Bool { interfaces.contains { $0.name == .objectManager } }
}

extension [ExportedInterface] {
  /// `a{sa{sv}}`.
  var interfacesAndProperties: DBusValue {
    .dictionary(
      DBusDictionary(
        checkedEntries: map { (.string($0.name.rawValue), $0.properties) }, key: .string, value: .properties))
  }
}

/// An interface of one object, with the values of the properties that the object has.
struct ExportedInterface: Sendable {
  let description: InterfaceDescription
  /// In the order of the description; nil for a property that this object lacks or that is write-only.
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

/// A change that does not fit the tree.
package struct ObjectTreeFault: Error, Hashable, Sendable {
  package enum Code: String, Sendable {
    case unknownObject, unknownInterface, unknownProperty, typeMismatch, interfaceExists
  }

  package let code: Code
  package let path: ObjectPath
  /// The fault as a clause about the path, such as `no object is there`.
  package let cause: String

  static func unknownObject(_ path: ObjectPath) -> ObjectTreeFault {
    .init(code: .unknownObject, path: path, cause: "no object is there")
  }

  static func unknownInterface(_ path: ObjectPath, _ interface: InterfaceName) -> ObjectTreeFault {
    .init(code: .unknownInterface, path: path, cause: "it has no interface \(interface)")
  }

  static func unknownProperty(_ path: ObjectPath, _ interface: InterfaceName, _ name: String) -> ObjectTreeFault {
    .init(code: .unknownProperty, path: path, cause: "\(interface) declares no property \(name)")
  }

  static func typeMismatch(
    _ path: ObjectPath, _ property: PropertyDescription, _ value: DBusValue
  ) -> ObjectTreeFault {
    .init(
      code: .typeMismatch, path: path,
      cause: "property \(property.name) is of type \(property.type), not \(value.type)")
  }

  static func interfaceExists(_ path: ObjectPath, _ interface: InterfaceName) -> ObjectTreeFault {
    .init(code: .interfaceExists, path: path, cause: "it has the interface \(interface) already")
  }
}

extension ObjectTreeFault: CustomStringConvertible {
  package var description: String { "The object \(path) was not changed: \(cause)." }
}
