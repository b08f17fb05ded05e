import GATT

extension ServiceDefinition: Storable {
  init(reading fields: StateReader) throws {
    self.init(
      uuid: try fields.value(.uuid), isPrimary: try fields.value(.isPrimary),
      includedServices: try fields.value(.includedServices),
      characteristics: try fields.list(.characteristics, Record<CharacteristicDefinition>.self))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(uuid, .uuid)
    try fields.value(isPrimary, .isPrimary)
    try fields.value(includedServices, .includedServices)
    try fields.list(characteristics, .characteristics, Record.self)
  }
}
