import GATT

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
