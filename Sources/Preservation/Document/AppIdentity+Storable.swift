import AppLink

extension AppIdentity: Storable {
  init(reading fields: StateReader) throws {
    self.init(
      bundleIdentifier: try fields.value(.bundleIdentifier, Text.self), name: try fields.value(.name, Text.self),
      backgroundModes: try fields.list(.backgroundModes, Text.self),
      restoreIdentifier: try fields.optional(.restoreIdentifier, Text.self),
      rules: try fields.value(.rules, Record<AppRules>.self),
      usesAccessorySetup: try fields.optional(.usesAccessorySetup) ?? false)
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(bundleIdentifier, .bundleIdentifier, Text.self)
    try fields.value(name, .name, Text.self)
    try fields.list(backgroundModes, .backgroundModes, Text.self)
    try fields.optional(restoreIdentifier, .restoreIdentifier, Text.self)
    try fields.value(rules, .rules, Record.self)
    if usesAccessorySetup { try fields.value(true, .usesAccessorySetup) }
  }
}
