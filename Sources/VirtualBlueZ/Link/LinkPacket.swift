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
}
