import AppLink

extension CharacteristicID: Storable {
  init(reading fields: StateReader) throws {
    self.init(service: try fields.value(.service), index: try fields.value(.index))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(service, .service)
    try fields.value(index, .index)
  }
}
