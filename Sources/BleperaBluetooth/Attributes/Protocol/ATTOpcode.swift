/// The opcode of an ATT PDU (Core Specification, Vol 3, Part F, 3.4.8): those that read, write and send values.
public enum ATTOpcode: UInt8, Hashable, CaseIterable, Sendable {
  /// ATT_ERROR_RSP.
  case errorResponse = 0x01
  /// ATT_READ_REQ.
  case readRequest = 0x0A
  /// ATT_READ_RSP.
  case readResponse = 0x0B
  /// ATT_READ_BLOB_REQ.
  case readBlobRequest = 0x0C
  /// ATT_READ_BLOB_RSP.
  case readBlobResponse = 0x0D
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
  /// ATT_WRITE_CMD.
  case writeCommand = 0x52
}

/// The ATT_MTU of a link: the length of the longest ATT packet, in bytes.
package enum ATTMTU {
  /// 23 is the least of ATT (Core Specification, Vol 3, Part F, 3.2.8); 517, which a write of 512 bytes needs, is
  /// bluetoothd's.
  package static let range = 23...517

  /// Commonly exchanged by an iPhone; newer iPhones exchange more among themselves.
  package static let iPhone = 185
}
