/// The names on the wire of what the callbacks carry without a label in Swift, or under one that is no noun.
extension SystemMessage {
  enum DidChangeStateCodingKeys: String, CodingKey {
    case _0 = "state"
  }

  enum WillTerminateCodingKeys: String, CodingKey {
    case _0 = "reason"
  }

  enum WillRestoreStateCodingKeys: String, CodingKey {
    case _0 = "state"
  }

  enum DidUpdateStateCodingKeys: String, CodingKey {
    case _0 = "state"
  }

  enum DidAddServiceCodingKeys: String, CodingKey {
    case _0 = "id"
    case error
  }

  enum DidSubscribeCodingKeys: String, CodingKey {
    case _0 = "central"
    case to = "characteristic"
  }

  enum DidUnsubscribeCodingKeys: String, CodingKey {
    case _0 = "central"
    case from = "characteristic"
  }

  enum DidReceiveReadCodingKeys: String, CodingKey {
    case _0 = "request"
  }

  enum DidReceiveWriteCodingKeys: String, CodingKey {
    case _0 = "requests"
  }

  enum DidUpdateValueCodingKeys: String, CodingKey {
    case _0 = "characteristic"
    case queued
  }
}
