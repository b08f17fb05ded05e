/// Writes the document that Introspect returns (D-Bus specification, "Introspection Data Format").
struct IntrospectionXML {
  private var text = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>

    """

  var finished: String { text + "</node>\n" }

  /// Properties that the object does not have are left out.
  mutating func add(_ interface: ExportedInterface) {
    line(1, "<interface name=\"\(interface.name)\">")
    for method in interface.description.methods { add(method) }
    for signal in interface.description.signals { add(signal) }
    for (property, value) in zip(interface.description.properties, interface.values)
    where value != nil || property.access == .write {
      add(property)
    }
    line(1, "</interface>")
  }

  mutating func addNode(_ name: String) { line(1, "<node name=\"\(name)\"/>") }

  private mutating func add(_ method: MethodDescription) {
    let inputs = method.inputs.map { Self.argument($0, direction: "in") }
    let outputs = method.outputs.map { Self.argument($0, direction: "out") }
    let notes = method.isNoReply ? [Self.annotation("Method.NoReply", "true")] : []
    element("method name=\"\(method.name)\"", inputs + outputs + notes)
  }

  private mutating func add(_ signal: SignalDescription) {
    element("signal name=\"\(signal.name)\"", signal.arguments.map { Self.argument($0, direction: nil) })
  }

  private mutating func add(_ property: PropertyDescription) {
    let notes =
      property.emitsChanged == .value
      ? [] : [Self.annotation("Property.EmitsChangedSignal", property.emitsChanged.rawValue)]
    let access = property.access.rawValue
    element("property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"", notes)
  }

  private mutating func element(_ start: String, _ content: [String]) {
    guard !content.isEmpty else { return line(2, "<\(start)/>") }
    line(2, "<\(start)>")
    for child in content { line(3, child) }
    line(2, "</\(start.prefix { $0 != " " })>")
  }

  private mutating func line(_ depth: Int, _ content: String) {
    text += String(repeating: "  ", count: depth) + content + "\n"
  }

  private static func argument(_ argument: ArgumentDescription, direction: String?) -> String {
    let direction = direction.map { " direction=\"\($0)\"" } ?? ""
    return "<arg name=\"\(escape(argument.name))\" type=\"\(argument.type)\"\(direction)/>"
  }

  private static func annotation(_ name: String, _ value: String) -> String {
    "<annotation name=\"org.freedesktop.DBus.\(name)\" value=\"\(value)\"/>"
  }

  /// Only argument names are free text; the grammars of all other names exclude the escaped characters.
  private static func escape(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}

extension ObjectTree {
  /// The reply of Introspect: the interfaces of the object with the properties it has, and the next elements of the
  /// paths below it, in alphabetical order.
  package func introspect(_ path: ObjectPath) -> String {
    var xml = IntrospectionXML()
    if let object = objects[path] {
      for description in InterfaceDescription.implied { xml.add(ExportedInterface(description)) }
      for interface in object.interfaces { xml.add(interface) }
    } else {
      for description in InterfaceDescription.impliedOfNodes { xml.add(ExportedInterface(description)) }
    }
    for child in children(of: path) { xml.addNode(child) }
    return xml.finished
  }

  private func children(of path: ObjectPath) -> [String] {
    let start = path.isRoot ? 1 : path.rawValue.utf8.count + 1
    let elements = objects.keys.filter { path.isAncestor(of: $0) }.map { below in
      String(decoding: below.rawValue.utf8.dropFirst(start).prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
    }
    return Set(elements).sorted()
  }
}
