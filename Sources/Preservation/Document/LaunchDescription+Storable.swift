import AppLink

extension LaunchDescription: Storable {
  init(reading fields: StateReader) throws {
    self.init(
      arguments: try fields.list(.arguments, Text.self), folder: try fields.value(.folder, Text.self),
      environment: try fields.dictionary(.environment, Text.self))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.list(arguments, .arguments, Text.self)
    try fields.value(folder, .folder, Text.self)
    try fields.dictionary(environment, .environment, Text.self)
  }
}
