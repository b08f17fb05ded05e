/// An interface as data: calls are checked against it and introspection is computed from it.
package struct InterfaceDescription: Hashable, Sendable {
  package let name: InterfaceName
  package let methods: [MethodDescription]
  package let properties: [PropertyDescription]
  package let signals: [SignalDescription]

  package init(
    _ name: InterfaceName, methods: [MethodDescription] = [], properties: [PropertyDescription] = [],
    signals: [SignalDescription] = []
  ) {
    self.name = name
    self.methods = methods
    self.properties = properties
    self.signals = signals
  }

  package func method(_ name: MemberName) -> MethodDescription? { methods.first { $0.name == name } }

  package func property(_ name: MemberName) -> PropertyDescription? { properties.first { $0.name == name } }
}
