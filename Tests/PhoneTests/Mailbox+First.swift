import BusTesting

extension Mailbox {
  /// The first that `match` makes something of; those before it are passed over.
  @discardableResult
  func first<Value>(_ match: (Element) -> Value?) async throws -> Value {
    while true {
      if let value = match(try await next()) { return value }
    }
  }
}
