package import BleperaBluetooth

/// A packet of a connection.
enum LinkPacket: Hashable, Sendable {
  case request(ATTRequest)
  case response(Result<[UInt8], ATTError>)
  case value(AttributeHandle, [UInt8], isIndication: Bool)
  case confirmation
  case serviceChanged
  case channel(ChannelPacket)
  /// Of a host outside the air, or to it.
  case data(LinkData, isUpward: Bool)
  case control(LinkControl, isUpward: Bool)

  /// Whether the packet goes from the central to the peripheral.
  var isUpward: Bool {
    switch self {
    case .request, .confirmation: true
    case .response, .value, .serviceChanged: false
    case .channel(let packet): packet.isUpward
    case .data(_, let isUpward), .control(_, let isUpward): isUpward
    }
  }

  /// The bytes of the data PDUs that carry it to a host outside the air, with the header of L2CAP.
  var length: Int {
    switch self {
    case .data(let data, _): data.bytes.count
    case .response(.success(let value)): 5 + value.count
    case .value(_, let value, _): 7 + value.count
    case .channel(.data(_, let bytes)): 6 + bytes.count
    // One PDU is enough for the others.
    default: 1
    }
  }

  /// - Parameter request: the request that a response belongs to.
  func opcode(answering request: ATTOpcode?) -> ATTOpcode? {
    switch self {
    case .request(let request): request.opcode
    case .response(.failure): .errorResponse
    // The opcode of a response is that of its request plus 1.
    case .response(.success): request.flatMap { ATTOpcode(rawValue: $0.rawValue + 1) }
    case .value(_, _, let isIndication): isIndication ? .handleValueIndication : .handleValueNotification
    case .confirmation: .handleValueConfirmation
    case .serviceChanged: .handleValueIndication
    case .channel, .data, .control: nil
    }
  }
}

/// A request or command of a central to a server (Core Specification, Vol 3, Part F, 3.4).
enum ATTRequest: Hashable, Sendable {
  case read(AttributeHandle)
  case readBlob(AttributeHandle, offset: Int)
  case write(AttributeHandle, [UInt8])
  /// Has no response.
  case command(AttributeHandle, [UInt8])
  case prepare(AttributeHandle, offset: Int, [UInt8])
  /// False discards the prepared writes.
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

/// The first ATT PDU that does not arrive, nor anything after; counted from when the cut is set.
package enum LinkCut: Hashable, Sendable {
  /// The number of the PDU, from 1.
  case pdu(Int)
  case first(ATTOpcode)
}
