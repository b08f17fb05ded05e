/// The opcode of an ATT PDU (Core Specification, Vol 3, Part F, 3.4.8): those that read, write and send values.
public enum ATTOpcode: UInt8, Hashable, CaseIterable, Sendable {
  case errorResponse = 0x01
  case readRequest = 0x0A
  case readResponse = 0x0B
  case readBlobRequest = 0x0C
  case readBlobResponse = 0x0D
  case writeRequest = 0x12
  case writeResponse = 0x13
  case prepareWriteRequest = 0x16
  case prepareWriteResponse = 0x17
  case executeWriteRequest = 0x18
  case executeWriteResponse = 0x19
  case handleValueNotification = 0x1B
  case handleValueIndication = 0x1D
  case handleValueConfirmation = 0x1E
  case writeCommand = 0x52
}
