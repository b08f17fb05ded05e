package import AppLink
package import GATT

/// A published service, and where bluetoothd has it.
package struct PreservedService: Hashable, Sendable {
  package var id: ServiceID
  package var definition: ServiceDefinition
  package var handles: ServiceHandles
  /// The number of our D-Bus application that it is registered in.
  package var application: Int
  /// Its place in that application, from 0.
  package var place: Int
  /// What was written to descriptors since they were published.
  package var descriptorValues: [DescriptorValue]

  package init(
    id: ServiceID, definition: ServiceDefinition, handles: ServiceHandles, application: Int, place: Int,
    descriptorValues: [DescriptorValue] = []
  ) {
    self.id = id
    self.definition = definition
    self.handles = handles
    self.application = application
    self.place = place
    self.descriptorValues = descriptorValues
  }
}

extension PreservedService: StoredValue {
  init(reading fields: StateReader) throws {
    self.init(
      id: try fields.value(.id), definition: try fields.value(.definition, Record<ServiceDefinition>.self),
      handles: try fields.value(.handles, Record<ServiceHandles>.self), application: try fields.value(.application),
      place: try fields.value(.place),
      descriptorValues: try fields.list(.descriptorValues, Record<DescriptorValue>.self))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(id, .id)
    try fields.value(definition, .definition, Record.self)
    try fields.value(handles, .handles, Record.self)
    try fields.value(application, .application)
    try fields.value(place, .place)
    try fields.list(descriptorValues, .descriptorValues, Record.self)
  }
}
