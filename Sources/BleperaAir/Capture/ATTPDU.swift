import BleperaBluetooth

/// The PDUs of the Attribute Protocol (Core Specification, Vol 3, Part F, 3.4).
enum ATTPDU {
  static func bytes(_ request: ATTRequest) -> [UInt8] {
    let head = [request.opcode.rawValue] + (request.handle.map(ServiceBuilder.bytes) ?? [])
    switch request {
    case .read: return head
    case .readBlob(_, let offset): return head + LittleEndian.bytes(UInt16(clamping: offset))
    case .write(_, let value), .command(_, let value): return head + value
    case .prepare(_, let offset, let value): return head + LittleEndian.bytes(UInt16(clamping: offset)) + value
    case .execute(let isWanted): return head + [isWanted ? 1 : 0]
    }
  }

  static func bytes(_ response: Result<[UInt8], ATTError>, to request: ATTRequest) -> [UInt8] {
    switch (response, request) {
    case (.failure(let error), _):
      let handle = request.handle ?? AttributeHandle(rawValue: 0)
      return self.error(error, request: request.opcode.rawValue, handle)
    case (.success(let value), .read), (.success(let value), .readBlob): return [request.opcode.rawValue + 1] + value
    case (.success(let value), .prepare(let handle, let offset, _)):
      return [request.opcode.rawValue + 1] + ServiceBuilder.bytes(handle)
        + LittleEndian.bytes(UInt16(clamping: offset)) + value
    case (.success, .write), (.success, .command), (.success, .execute): return [request.opcode.rawValue + 1]
    }
  }

  static func error(_ error: ATTError, request: UInt8, _ handle: AttributeHandle) -> [UInt8] {
    [ATTOpcode.errorResponse.rawValue, request] + ServiceBuilder.bytes(handle) + [error.rawValue]
  }

  static func value(_ handle: AttributeHandle, _ value: [UInt8], isIndication: Bool) -> [UInt8] {
    let opcode: ATTOpcode = isIndication ? .handleValueIndication : .handleValueNotification
    return [opcode.rawValue] + ServiceBuilder.bytes(handle) + value
  }

  static let confirmation = [ATTOpcode.handleValueConfirmation.rawValue]

  /// An indication that all services may have changed (Vol 3, Part G, 7.1).
  static func serviceChanged(_ handle: AttributeHandle) -> [UInt8] {
    value(handle, [0x01, 0x00, 0xFF, 0xFF], isIndication: true)
  }

  /// The exchange of the ATT_MTU (3.4.2).
  static func exchange(clientMTU: Int, serverMTU: Int) -> [(isUpward: Bool, bytes: [UInt8])] {
    [
      (true, [0x02] + LittleEndian.bytes(UInt16(clamping: clientMTU))),
      (false, [0x03] + LittleEndian.bytes(UInt16(clamping: serverMTU))),
    ]
  }
}
