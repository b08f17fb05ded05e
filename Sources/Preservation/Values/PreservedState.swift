/// What one system keeps of its apps.
package struct PreservedState: Hashable, Sendable {
  /// Each with an identifier of its own.
  package var apps: [PreservedApp]

  package init(apps: [PreservedApp] = []) {
    self.apps = apps
  }
}

extension PreservedState: StoredValue {
  init(reading fields: StateReader) throws {
    self.init(apps: try fields.list(.apps, Record<PreservedApp>.self))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.list(apps, .apps, Record.self)
  }
}
