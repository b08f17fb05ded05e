package import BleperaBluetooth

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

/// What a central asks of a server (Core Specification, Vol 3, Part F, 3.4).
enum ATTRequest: Hashable, Sendable {
  case read(AttributeHandle)
  case readBlob(AttributeHandle, offset: Int)
  case write(AttributeHandle, [UInt8])
  /// Has no response.
  case command(AttributeHandle, [UInt8])
  case prepare(AttributeHandle, offset: Int, [UInt8])
  /// False forgets what was prepared.
  case execute(Bool)

  var opcode: ATTOpcode {
    switch self {
    case .read: .readRequest
    case .readBlob: .readBlobRequest
    case .write: .writeRequest
    case .command: .writeCommand
    case .prepare: .prepareWriteRequest
    case .execute: .executeWriteRequest
    }
  }

  var handle: AttributeHandle? {
    switch self {
    case .read(let handle), .readBlob(let handle, _), .write(let handle, _), .command(let handle, _),
      .prepare(let handle, _, _):
      handle
    case .execute: nil
    }
  }
}

/// The ATT PDU that does not arrive any more, nor anything after it; counted from the order on.
package enum LinkCut: Hashable, Sendable {
  /// From 1.
  case pdu(Int)
  case first(ATTOpcode)
}
