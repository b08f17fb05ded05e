import BusTesting

extension Mailbox {
  /// The first result of `match` that is not nil; the elements before it are dropped.
  @discardableResult
  func first<Value>(_ match: (Element) -> Value?) async throws -> Value {
    while true {
      if let value = match(try await next()) { return value }
    }
  }
}
