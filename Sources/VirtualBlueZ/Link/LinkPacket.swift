import GATT

/// What goes over a connection.
enum LinkPacket: Hashable, Sendable {
  case request(ATTRequest)
  case response(Result<[UInt8], ATTError>)
  case value(AttributeHandle, [UInt8], isIndication: Bool)
  case confirmation
  case serviceChanged

  /// From the central to the peripheral.
  var isUpward: Bool {
    switch self {
    case .request, .confirmation: true
    case .response, .value, .serviceChanged: false
    }
  }

  /// - Parameter request: what a response is to.
  func opcode(answering request: ATTOpcode?) -> ATTOpcode? {
    switch self {
    case .request(let request): request.opcode
    case .response(.failure): .errorResponse
    // Each request's is followed by its response's.
    case .response(.success): request.flatMap { ATTOpcode(rawValue: $0.rawValue + 1) }
    case .value(_, _, let isIndication): isIndication ? .handleValueIndication : .handleValueNotification
    case .confirmation: .handleValueConfirmation
    case .serviceChanged: .handleValueIndication
    }
  }
}
