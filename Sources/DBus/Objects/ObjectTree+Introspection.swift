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
