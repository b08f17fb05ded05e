import BleperaBluetooth

extension ATTPDU {
  /// Counter and MAC of a Signed Write Command (Core Specification, Vol 3, Part F, 3.4.5.4).
  static let signatureLength = 12

  package var bytes: [UInt8] { [opcode.rawValue] + parameters }

  /// The bytes for a link: a value at the end is cut to the MTU, as each response with values and each notification is.
  package func bytes(mtu: Int) -> [UInt8] { Array(bytes.prefix(max(mtu, ATTMTU.range.lowerBound))) }

  /// The values of a Read Multiple Variable Response, each after its length (3.4.4.12).
  package static func lengthsAndValues(_ values: [[UInt8]]) -> [UInt8] {
    values.flatMap { LittleEndian.bytes(UInt16(clamping: $0.count)) + $0 }
  }

  private var parameters: [UInt8] {
    switch self {
    case .errorResponse(let response):
      [response.opcode] + LittleEndian.bytes(response.handle) + [response.error.rawValue]
    case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): LittleEndian.bytes(mtu)
    case .findInformationRequest(let range): Self.bytes(range)
    case .findInformationResponse(let rows):
      [rows.first?.type.attributeType.width == .bits16 ? 1 : 2]
        + rows.flatMap { LittleEndian.bytes($0.handle) + $0.type.attributeType.littleEndianBytes }
    case .findByTypeValueRequest(let range, let type, let value):
      Self.bytes(range) + type.attributeType.littleEndianBytes + value
    case .findByTypeValueResponse(let ranges): ranges.flatMap(Self.bytes)
    case .readByTypeRequest(let range, let type), .readByGroupTypeRequest(let range, let type):
      Self.bytes(range) + type.attributeType.littleEndianBytes
    case .readByTypeResponse(let rows):
      [UInt8(clamping: 2 + (rows.first?.value.count ?? 0))]
        + rows.flatMap { LittleEndian.bytes($0.handle) + $0.value }
    case .readByGroupTypeResponse(let rows):
      [UInt8(clamping: 4 + (rows.first?.value.count ?? 0))] + rows.flatMap { Self.bytes($0.range) + $0.value }
    case .readRequest(let handle): LittleEndian.bytes(handle)
    case .readBlobRequest(let handle, let offset):
      LittleEndian.bytes(handle) + LittleEndian.bytes(UInt16(clamping: offset))
    case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value),
      .readMultipleVariableResponse(let value):
      value
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
      handles.flatMap(LittleEndian.bytes)
    case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
      .handleValueNotification(let handle, let value), .handleValueIndication(let handle, let value):
      LittleEndian.bytes(handle) + value
    case .signedWriteCommand(let handle, let value, let signature):
      LittleEndian.bytes(handle) + value + signature
    case .prepareWriteRequest(let write), .prepareWriteResponse(let write):
      LittleEndian.bytes(write.handle) + LittleEndian.bytes(UInt16(clamping: write.offset)) + write.value
    case .executeWriteRequest(let isWanted): [isWanted ? 1 : 0]
    case .multipleHandleValueNotification(let rows):
      rows.flatMap { LittleEndian.bytes($0.handle) + Self.lengthsAndValues([$0.value]) }
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: []
    }
  }

  private static func bytes(_ range: ClosedRange<AttributeHandle>) -> [UInt8] {
    LittleEndian.bytes(range.lowerBound) + LittleEndian.bytes(range.upperBound)
  }
}

extension BluetoothUUID {
  /// The UUID as an attribute's type: the protocol has no form of 32 bits (Core Specification, Vol 3, Part F, 3.2.1).
  var attributeType: BluetoothUUID { width == .bits32 ? BluetoothUUID(bits: bits) : self }
}
