/// The names on the wire of what the calls carry without a label in Swift.
extension AppMessage {
  enum AddServiceCodingKeys: String, CodingKey {
    case _0 = "id"
    case _1 = "service"
  }

  enum RemoveServiceCodingKeys: String, CodingKey {
    case _0 = "id"
  }

  enum StartAdvertisingCodingKeys: String, CodingKey {
    case _0 = "advertisement"
  }

  enum UpdateValueCodingKeys: String, CodingKey {
    case _0 = "characteristic"
    case value
    case centrals
  }

  enum RespondCodingKeys: String, CodingKey {
    case _0 = "request"
    case error
    case value
  }
}
