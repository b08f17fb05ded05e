import GATT

extension DescriptorDefinition: Storable {
  init(reading fields: StateReader) throws {
    self.init(
      uuid: try fields.value(.uuid), value: try fields.value(.value, Bytes.self),
      permissions: try fields.value(.permissions))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(uuid, .uuid)
    try fields.value(value, .value, Bytes.self)
    try fields.value(permissions, .permissions)
  }
}
