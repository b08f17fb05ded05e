import GATT

extension ServiceHandles: Storable {
  init(reading fields: StateReader) throws {
    self.init(
      start: try fields.value(.start), end: try fields.value(.end), includes: try fields.value(.includes),
      characteristics: try fields.list(.characteristics, Record<CharacteristicHandles>.self))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(start, .start)
    try fields.value(end, .end)
    try fields.value(includes, .includes)
    try fields.list(characteristics, .characteristics, Record.self)
  }
}
