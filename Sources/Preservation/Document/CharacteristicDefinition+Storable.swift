import GATT

extension CharacteristicDefinition: Storable {
  init(reading fields: StateReader) throws {
    self.init(
      uuid: try fields.value(.uuid), properties: try fields.value(.properties),
      permissions: try fields.value(.permissions), value: try fields.optional(.value, Bytes.self),
      descriptors: try fields.list(.descriptors, Record<DescriptorDefinition>.self))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(uuid, .uuid)
    try fields.value(properties, .properties)
    try fields.value(permissions, .permissions)
    try fields.optional(value, .value, Bytes.self)
    try fields.list(descriptors, .descriptors, Record.self)
  }
}
