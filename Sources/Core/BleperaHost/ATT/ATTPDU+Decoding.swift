import BleperaBluetooth

extension ATTPDU {
  /// Reads the payload of a frame.
  ///
  /// - Throws: what a server answers: 0x06 for an unknown opcode without the command flag (Core Specification, Vol 3,
  ///   Part F, 3.3), 0x04 for a request of a wrong length, 0x01 for a range of handles that is empty or begins at 0.
  package init(_ bytes: [UInt8]) throws(ATTFault) {
    guard let octet = bytes.first else { throw .unanswered }
    guard let opcode = ATTOpcode(rawValue: octet) else {
      guard octet & ATTOpcode.commandFlag == 0 else { throw .unanswered }
      throw .answered(ATTErrorResponse(opcode: octet, error: .requestNotSupported))
    }
    var fields = PDUReader(bytes.dropFirst())
    if let pdu = try Self.search(opcode, &fields) ?? Self.read(opcode, &fields), fields.isExact {
      self = pdu
    } else {
      throw opcode.kind == .request
        ? .answered(ATTErrorResponse(opcode: octet, error: .invalidPdu)) : .unanswered
    }
  }

  /// A request with a range; nil for other opcodes and for a wrong length.
  private static func search(_ opcode: ATTOpcode, _ fields: inout PDUReader) throws(ATTFault) -> ATTPDU? {
    let typeWidths: [Int]
    switch opcode {
    case .findInformationRequest: typeWidths = [0]
    case .findByTypeValueRequest: typeWidths = [2]
    case .readByTypeRequest, .readByGroupTypeRequest: typeWidths = [2, 16]
    default: return nil
    }
    let (start, end) = (fields.handle(), fields.handle())
    // The value of Find By Type Value has any length.
    let width = opcode == .findByTypeValueRequest ? min(2, fields.rest.count) : fields.rest.count
    guard !fields.isShort, typeWidths.contains(width) else { return nil }
    let type = BluetoothUUID(littleEndian: fields.bytes(width))
    guard start > 0, start <= end else {
      throw .answered(ATTErrorResponse(opcode: opcode.rawValue, handle: start, error: .invalidHandle))
    }
    switch (opcode, type) {
    case (.findInformationRequest, _): return .findInformationRequest(start...end)
    case (.findByTypeValueRequest, let type?):
      return .findByTypeValueRequest(start...end, type: type, value: fields.remainder())
    case (.readByTypeRequest, let type?): return .readByTypeRequest(start...end, type: type)
    case (_, let type?): return .readByGroupTypeRequest(start...end, type: type)
    case (_, nil): return nil
    }
  }

  /// Any other PDU; nil for one that is malformed otherwise than by its length alone.
  private static func read(_ opcode: ATTOpcode, _ fields: inout PDUReader) -> ATTPDU? {
    switch opcode {
    case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest: return nil
    case .errorResponse:
      return .errorResponse(
        ATTErrorResponse(
          opcode: fields.uint8(), handle: fields.handle(), error: ATTError(rawValue: fields.uint8())))
    case .exchangeMTURequest: return .exchangeMTURequest(fields.uint16())
    case .exchangeMTUResponse: return .exchangeMTUResponse(fields.uint16())
    case .findInformationResponse: return information(&fields)
    case .findByTypeValueResponse:
      let ranges = fields.list { ($0.handle(), $0.handle()) }
      guard !ranges.isEmpty, ranges.allSatisfy({ $0 <= $1 }) else { return nil }
      return .findByTypeValueResponse(ranges.map { $0...$1 })
    case .readByTypeResponse:
      let length = Int(fields.uint8())
      guard length >= 2, !fields.rest.isEmpty else { return nil }
      return .readByTypeResponse(
        fields.list { ATTHandleValue(handle: $0.handle(), value: $0.bytes(length - 2)) })
    case .readByGroupTypeResponse:
      let length = Int(fields.uint8())
      guard length >= 4, !fields.rest.isEmpty else { return nil }
      let groups = fields.list { ($0.handle(), $0.handle(), $0.bytes(length - 4)) }
      guard groups.allSatisfy({ $0.0 <= $0.1 }) else { return nil }
      return .readByGroupTypeResponse(groups.map { ATTGroup(range: $0.0...$0.1, value: $0.2) })
    case .readRequest: return .readRequest(fields.handle())
    case .readResponse: return .readResponse(fields.remainder())
    case .readBlobRequest: return .readBlobRequest(fields.handle(), offset: Int(fields.uint16()))
    case .readBlobResponse: return .readBlobResponse(fields.remainder())
    case .readMultipleRequest: return handles(&fields).map { .readMultipleRequest($0) }
    case .readMultipleResponse: return .readMultipleResponse(fields.remainder())
    case .readMultipleVariableRequest: return handles(&fields).map { .readMultipleVariableRequest($0) }
    case .readMultipleVariableResponse: return .readMultipleVariableResponse(fields.remainder())
    case .writeRequest: return .writeRequest(fields.handle(), fields.remainder())
    case .writeResponse: return .writeResponse
    case .writeCommand: return .writeCommand(fields.handle(), fields.remainder())
    case .signedWriteCommand:
      return .signedWriteCommand(
        fields.handle(), fields.bytes(max(0, fields.rest.count - signatureLength)),
        signature: fields.bytes(signatureLength))
    case .prepareWriteRequest: return .prepareWriteRequest(prepared(&fields))
    case .prepareWriteResponse: return .prepareWriteResponse(prepared(&fields))
    case .executeWriteRequest:
      let flag = fields.uint8()
      return flag <= 1 ? .executeWriteRequest(flag == 1) : nil
    case .executeWriteResponse: return .executeWriteResponse
    case .handleValueNotification: return .handleValueNotification(fields.handle(), fields.remainder())
    case .handleValueIndication: return .handleValueIndication(fields.handle(), fields.remainder())
    case .handleValueConfirmation: return .handleValueConfirmation
    case .multipleHandleValueNotification:
      let values = fields.list { fields in
        ATTHandleValue(handle: fields.handle(), value: fields.bytes(Int(fields.uint16())))
      }
      return values.count >= 2 ? .multipleHandleValueNotification(values) : nil
    }
  }

  private static func information(_ fields: inout PDUReader) -> ATTPDU? {
    let width: Int
    switch fields.uint8() {
    case 1: width = BluetoothUUID.Width.bits16.rawValue
    case 2: width = BluetoothUUID.Width.bits128.rawValue
    default: return nil
    }
    let rows = fields.list { ($0.handle(), BluetoothUUID(littleEndian: $0.bytes(width))) }
    let information = rows.compactMap { handle, type in type.map { ATTInformation(handle: handle, type: $0) } }
    return information.isEmpty ? nil : .findInformationResponse(information)
  }

  private static func handles(_ fields: inout PDUReader) -> [AttributeHandle]? {
    let handles = fields.list { $0.handle() }
    return handles.count >= 2 ? handles : nil
  }

  private static func prepared(_ fields: inout PDUReader) -> AttributeWrite {
    AttributeWrite(handle: fields.handle(), offset: Int(fields.uint16()), value: fields.remainder())
  }
}
