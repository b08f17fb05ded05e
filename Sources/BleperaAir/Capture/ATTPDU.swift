import BleperaBluetooth
import BleperaHost

/// The PDUs of what the air carries as calls.
extension ATTPDU {
  static func bytes(_ request: ATTRequest) -> [UInt8] {
    switch request {
    case .read(let handle): readRequest(handle).bytes
    case .readBlob(let handle, let offset): readBlobRequest(handle, offset: offset).bytes
    case .write(let handle, let value): writeRequest(handle, value).bytes
    case .command(let handle, let value): writeCommand(handle, value).bytes
    case .prepare(let handle, let offset, let value):
      prepareWriteRequest(AttributeWrite(handle: handle, offset: offset, value: value)).bytes
    case .execute(let isWanted): executeWriteRequest(isWanted).bytes
    }
  }

  static func bytes(_ response: Result<[UInt8], ATTError>, to request: ATTRequest) -> [UInt8] {
    switch (response, request) {
    case (.failure(let error), _): self.error(error, request: request.opcode.rawValue, request.handle ?? 0)
    case (.success(let value), .read): readResponse(value).bytes
    case (.success(let value), .readBlob): readBlobResponse(value).bytes
    case (.success(let value), .prepare(let handle, let offset, _)):
      prepareWriteResponse(AttributeWrite(handle: handle, offset: offset, value: value)).bytes
    case (.success, .write), (.success, .command): writeResponse.bytes
    case (.success, .execute): executeWriteResponse.bytes
    }
  }

  static func error(_ error: ATTError, request: UInt8, _ handle: AttributeHandle) -> [UInt8] {
    errorResponse(ATTErrorResponse(opcode: request, handle: handle, error: error)).bytes
  }

  static func value(_ handle: AttributeHandle, _ value: [UInt8], isIndication: Bool) -> [UInt8] {
    (isIndication ? handleValueIndication(handle, value) : handleValueNotification(handle, value)).bytes
  }

  static let confirmation = handleValueConfirmation.bytes

  /// An indication that all services may have changed (Vol 3, Part G, 7.1).
  static func serviceChanged(_ handle: AttributeHandle) -> [UInt8] {
    value(handle, [0x01, 0x00, 0xFF, 0xFF], isIndication: true)
  }

  /// The exchange of the ATT_MTU (3.4.2).
  static func exchange(clientMTU: Int, serverMTU: Int) -> [(isUpward: Bool, bytes: [UInt8])] {
    [
      (true, exchangeMTURequest(UInt16(clamping: clientMTU)).bytes),
      (false, exchangeMTUResponse(UInt16(clamping: serverMTU)).bytes),
    ]
  }
}
