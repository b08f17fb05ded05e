import AppLink

extension AdvertisementRequest: Storable {
  init(reading fields: StateReader) throws {
    self.init(
      localName: try fields.optional(.localName, Text.self), serviceUUIDs: try fields.value(.serviceUUIDs))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.optional(localName, .localName, Text.self)
    try fields.value(serviceUUIDs, .serviceUUIDs)
  }
}
