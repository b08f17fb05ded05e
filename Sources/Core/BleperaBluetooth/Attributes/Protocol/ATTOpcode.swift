/// The opcode of an ATT PDU (Core Specification, Vol 3, Part F, 3.4.8).
public enum ATTOpcode: UInt8, Hashable, CaseIterable, Sendable {
  /// ATT_ERROR_RSP.
  case errorResponse = 0x01
  /// ATT_EXCHANGE_MTU_REQ.
  case exchangeMTURequest = 0x02
  /// ATT_EXCHANGE_MTU_RSP.
  case exchangeMTUResponse = 0x03
  /// ATT_FIND_INFORMATION_REQ.
  case findInformationRequest = 0x04
  /// ATT_FIND_INFORMATION_RSP.
  case findInformationResponse = 0x05
  /// ATT_FIND_BY_TYPE_VALUE_REQ.
  case findByTypeValueRequest = 0x06
  /// ATT_FIND_BY_TYPE_VALUE_RSP.
  case findByTypeValueResponse = 0x07
  /// ATT_READ_BY_TYPE_REQ.
  case readByTypeRequest = 0x08
  /// ATT_READ_BY_TYPE_RSP.
  case readByTypeResponse = 0x09
  /// ATT_READ_REQ.
  case readRequest = 0x0A
  /// ATT_READ_RSP.
  case readResponse = 0x0B
  /// ATT_READ_BLOB_REQ.
  case readBlobRequest = 0x0C
  /// ATT_READ_BLOB_RSP.
  case readBlobResponse = 0x0D
  /// ATT_READ_MULTIPLE_REQ.
  case readMultipleRequest = 0x0E
  /// ATT_READ_MULTIPLE_RSP.
  case readMultipleResponse = 0x0F
  /// ATT_READ_BY_GROUP_TYPE_REQ.
  case readByGroupTypeRequest = 0x10
  /// ATT_READ_BY_GROUP_TYPE_RSP.
  case readByGroupTypeResponse = 0x11
  /// ATT_WRITE_REQ.
  case writeRequest = 0x12
  /// ATT_WRITE_RSP.
  case writeResponse = 0x13
  /// ATT_PREPARE_WRITE_REQ.
  case prepareWriteRequest = 0x16
  /// ATT_PREPARE_WRITE_RSP.
  case prepareWriteResponse = 0x17
  /// ATT_EXECUTE_WRITE_REQ.
  case executeWriteRequest = 0x18
  /// ATT_EXECUTE_WRITE_RSP.
  case executeWriteResponse = 0x19
  /// ATT_HANDLE_VALUE_NTF.
  case handleValueNotification = 0x1B
  /// ATT_HANDLE_VALUE_IND.
  case handleValueIndication = 0x1D
  /// ATT_HANDLE_VALUE_CFM.
  case handleValueConfirmation = 0x1E
  /// ATT_READ_MULTIPLE_VARIABLE_REQ.
  case readMultipleVariableRequest = 0x20
  /// ATT_READ_MULTIPLE_VARIABLE_RSP.
  case readMultipleVariableResponse = 0x21
  /// ATT_MULTIPLE_HANDLE_VALUE_NTF.
  case multipleHandleValueNotification = 0x23
  /// ATT_WRITE_CMD.
  case writeCommand = 0x52
  /// ATT_SIGNED_WRITE_CMD.
  case signedWriteCommand = 0xD2
}

extension ATTOpcode {
  /// The role of a PDU in an exchange (Core Specification, Vol 3, Part F, 3.3).
  package enum Kind: Hashable, Sendable {
    case request, response, command, notification, indication, confirmation
  }

  package var kind: Kind {
    switch self {
    case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readRequest,
      .readBlobRequest, .readMultipleRequest, .readByGroupTypeRequest, .writeRequest, .prepareWriteRequest,
      .executeWriteRequest, .readMultipleVariableRequest:
      .request
    case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
      .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse,
      .writeResponse, .prepareWriteResponse, .executeWriteResponse, .readMultipleVariableResponse:
      .response
    case .writeCommand, .signedWriteCommand: .command
    case .handleValueNotification, .multipleHandleValueNotification: .notification
    case .handleValueIndication: .indication
    case .handleValueConfirmation: .confirmation
    }
  }

  /// The Command Flag: a PDU with an unknown opcode is answered with an error unless this bit is set (3.3).
  package static let commandFlag: UInt8 = 0x40
}

/// The ATT_MTU of a link: the length of the longest ATT packet, in bytes.
package enum ATTMTU {
  /// 23 is the least of ATT (Core Specification, Vol 3, Part F, 3.2.8); 517, which a write of 512 bytes needs, is
  /// bluetoothd's.
  package static let range = 23...517

  /// The ATT_MTU that iPhones request over a link without data length; simulated centrals request it, too.
  package static let iPhone = 185
}

/// The payload of the data PDUs of a link, in bytes.
package enum DataLength {
  /// Without and with the Data Packet Length Extension (Core Specification, Vol 6, Part B, 4.5.10).
  package static let range = 27...251

  /// The time of a data PDU on the 1M PHY, in µs: ten octets more than its payload, and the MIC's four.
  package static func airTime(of payload: Int) -> Int { (payload + 14) * 8 }
}
