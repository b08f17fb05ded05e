import BleperaBluetooth

extension ATTPDU {
  /// Whether a server may respond to the request with this PDU: its error, or a response of its kind, whose rows begin
  /// in the requested handles, each above the one before (Core Specification, Vol 3, Part F, 3.4.3 and 3.4.4). A group
  /// may end above them, because some devices say 0xFFFF (BlueZ, `read_by_grp_type_cb`).
  package func responds(to request: ATTPDU) -> Bool {
    switch (request, self) {
    case (_, .errorResponse(let error)): error.opcode == request.opcode.rawValue
    case (.exchangeMTURequest, .exchangeMTUResponse), (.readRequest, .readResponse),
      (.readBlobRequest, .readBlobResponse), (.readMultipleRequest, .readMultipleResponse),
      (.readMultipleVariableRequest, .readMultipleVariableResponse), (.writeRequest, .writeResponse),
      (.prepareWriteRequest, .prepareWriteResponse), (.executeWriteRequest, .executeWriteResponse):
      true
    case (.findInformationRequest(let range), .findInformationResponse(let rows)):
      Self.ascend(rows.map { $0.handle...$0.handle }, in: range)
    case (.findByTypeValueRequest(let range, _, _), .findByTypeValueResponse(let groups)):
      Self.ascend(groups, in: range)
    case (.readByTypeRequest(let range, _), .readByTypeResponse(let rows)):
      Self.ascend(rows.map { $0.handle...$0.handle }, in: range)
    case (.readByGroupTypeRequest(let range, _), .readByGroupTypeResponse(let groups)):
      Self.ascend(groups.map(\.range), in: range)
    default: false
    }
  }

  private static func ascend(
    _ rows: [ClosedRange<AttributeHandle>], in range: ClosedRange<AttributeHandle>
  ) -> Bool {
    rows.allSatisfy { range.contains($0.lowerBound) }
      && zip(rows, rows.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
  }
}
