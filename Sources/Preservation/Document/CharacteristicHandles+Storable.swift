import GATT

extension CharacteristicHandles: Storable {
  init(reading fields: StateReader) throws {
    self.init(
      declaration: try fields.value(.declaration), value: try fields.value(.value),
      clientConfiguration: try fields.optional(.clientConfiguration),
      extendedProperties: try fields.optional(.extendedProperties), descriptors: try fields.value(.descriptors))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(declaration, .declaration)
    try fields.value(value, .value)
    try fields.optional(clientConfiguration, .clientConfiguration)
    try fields.optional(extendedProperties, .extendedProperties)
    try fields.value(descriptors, .descriptors)
  }
}
