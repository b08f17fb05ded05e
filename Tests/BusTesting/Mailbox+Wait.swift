extension Mailbox {
  /// The first result of `match` that is not nil; the elements before it are dropped.
  @discardableResult
  package func wait<Value>(for match: (Element) -> Value?) async throws -> Value {
    while true {
      if let value = match(try await next()) { return value }
    }
  }
}
