extension Mailbox {
  /// The first element that `match` makes something of; those before it are passed over.
  @discardableResult
  package func wait<Value>(for match: (Element) -> Value?) async throws -> Value {
    while true {
      if let value = match(try await next()) { return value }
    }
  }
}
