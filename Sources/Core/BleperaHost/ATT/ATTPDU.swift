package import BleperaBluetooth

/// A PDU of the Attribute Protocol (Core Specification, Vol 3, Part F, 3.4).
///
/// The range of a request is never empty and begins above 0: another one is an `ATTFault`.
package enum ATTPDU: Hashable, Sendable {
  case errorResponse(ATTErrorResponse)
  case exchangeMTURequest(UInt16)
  case exchangeMTUResponse(UInt16)
  case findInformationRequest(ClosedRange<AttributeHandle>)
  /// UUIDs of one width.
  case findInformationResponse([ATTInformation])
  /// The type has 16 bits.
  case findByTypeValueRequest(ClosedRange<AttributeHandle>, type: BluetoothUUID, value: [UInt8])
  case findByTypeValueResponse([ClosedRange<AttributeHandle>])
  case readByTypeRequest(ClosedRange<AttributeHandle>, type: BluetoothUUID)
  /// Values of one length.
  case readByTypeResponse([ATTHandleValue])
  case readRequest(AttributeHandle)
  case readResponse([UInt8])
  case readBlobRequest(AttributeHandle, offset: Int)
  case readBlobResponse([UInt8])
  /// At least two.
  case readMultipleRequest([AttributeHandle])
  /// The values without anything between them.
  case readMultipleResponse([UInt8])
  case readByGroupTypeRequest(ClosedRange<AttributeHandle>, type: BluetoothUUID)
  /// Values of one length.
  case readByGroupTypeResponse([ATTGroup])
  case writeRequest(AttributeHandle, [UInt8])
  case writeResponse
  case prepareWriteRequest(AttributeWrite)
  case prepareWriteResponse(AttributeWrite)
  /// False discards the prepared writes.
  case executeWriteRequest(Bool)
  case executeWriteResponse
  case handleValueNotification(AttributeHandle, [UInt8])
  case handleValueIndication(AttributeHandle, [UInt8])
  case handleValueConfirmation
  /// At least two.
  case readMultipleVariableRequest([AttributeHandle])
  /// Each value after its length, as `lengthsAndValues` makes them; may be cut anywhere after the first.
  case readMultipleVariableResponse([UInt8])
  case multipleHandleValueNotification([ATTHandleValue])
  case writeCommand(AttributeHandle, [UInt8])
  /// The signature has 12 bytes: the counter and the MAC (3.3.1).
  case signedWriteCommand(AttributeHandle, [UInt8], signature: [UInt8])
}

/// An attribute of a Find Information Response.
package struct ATTInformation: Hashable, Sendable {
  package let handle: AttributeHandle
  package let type: BluetoothUUID

  package init(handle: AttributeHandle, type: BluetoothUUID) { (self.handle, self.type) = (handle, type) }
}

/// An attribute of a Read By Type Response or of a Multiple Handle Value Notification.
package struct ATTHandleValue: Hashable, Sendable {
  package let handle: AttributeHandle
  package let value: [UInt8]

  package init(handle: AttributeHandle, value: [UInt8]) { (self.handle, self.value) = (handle, value) }
}

/// A group of a Read By Group Type Response.
package struct ATTGroup: Hashable, Sendable {
  package let range: ClosedRange<AttributeHandle>
  package let value: [UInt8]

  package init(range: ClosedRange<AttributeHandle>, value: [UInt8]) { (self.range, self.value) = (range, value) }
}

/// The parameters of an Error Response (Core Specification, Vol 3, Part F, 3.4.1).
package struct ATTErrorResponse: Hashable, Sendable {
  /// The opcode of the request, which may be unknown.
  package let opcode: UInt8
  /// 0 where the request has none.
  package let handle: AttributeHandle
  package let error: ATTError

  package init(opcode: UInt8, handle: AttributeHandle = 0, error: ATTError) {
    (self.opcode, self.handle, self.error) = (opcode, handle, error)
  }
}

/// Why bytes are no PDU.
package enum ATTFault: Error, Hashable, Sendable {
  /// A server answers the request with that.
  case answered(ATTErrorResponse)
  /// A response, a command or anything else that is never answered.
  case unanswered
}

extension ATTPDU {
  package var opcode: ATTOpcode {
    switch self {
    case .errorResponse: .errorResponse
    case .exchangeMTURequest: .exchangeMTURequest
    case .exchangeMTUResponse: .exchangeMTUResponse
    case .findInformationRequest: .findInformationRequest
    case .findInformationResponse: .findInformationResponse
    case .findByTypeValueRequest: .findByTypeValueRequest
    case .findByTypeValueResponse: .findByTypeValueResponse
    case .readByTypeRequest: .readByTypeRequest
    case .readByTypeResponse: .readByTypeResponse
    case .readRequest: .readRequest
    case .readResponse: .readResponse
    case .readBlobRequest: .readBlobRequest
    case .readBlobResponse: .readBlobResponse
    case .readMultipleRequest: .readMultipleRequest
    case .readMultipleResponse: .readMultipleResponse
    case .readByGroupTypeRequest: .readByGroupTypeRequest
    case .readByGroupTypeResponse: .readByGroupTypeResponse
    case .writeRequest: .writeRequest
    case .writeResponse: .writeResponse
    case .prepareWriteRequest: .prepareWriteRequest
    case .prepareWriteResponse: .prepareWriteResponse
    case .executeWriteRequest: .executeWriteRequest
    case .executeWriteResponse: .executeWriteResponse
    case .handleValueNotification: .handleValueNotification
    case .handleValueIndication: .handleValueIndication
    case .handleValueConfirmation: .handleValueConfirmation
    case .readMultipleVariableRequest: .readMultipleVariableRequest
    case .readMultipleVariableResponse: .readMultipleVariableResponse
    case .multipleHandleValueNotification: .multipleHandleValueNotification
    case .writeCommand: .writeCommand
    case .signedWriteCommand: .signedWriteCommand
    }
  }

  /// The Error Response to this PDU.
  ///
  /// - Parameter handle: the attribute with the error; 0 where the request has none.
  package func error(_ error: ATTError, at handle: AttributeHandle = 0) -> ATTPDU {
    .errorResponse(ATTErrorResponse(opcode: opcode.rawValue, handle: handle, error: error))
  }
}
