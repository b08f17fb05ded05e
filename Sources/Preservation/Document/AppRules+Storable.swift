import AppLink

extension AppRules: Storable {
  init(reading fields: StateReader) throws {
    self.init(
      foregroundInterval: try fields.optional(.foregroundInterval),
      backgroundInterval: try fields.optional(.backgroundInterval),
      suspendedError: try fields.optional(.suspendedError),
      disablesCachedValues: try fields.optional(.disablesCachedValues))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.optional(foregroundInterval, .foregroundInterval)
    try fields.optional(backgroundInterval, .backgroundInterval)
    try fields.optional(suspendedError, .suspendedError)
    try fields.optional(disablesCachedValues, .disablesCachedValues)
  }
}
