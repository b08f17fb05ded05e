package import BleperaBluetooth

/// An attribute of a server, as one client finds it.
package struct ATTAttribute: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case bytes([UInt8])
    /// The client may not read the value.
    case refused(ATTError)
    /// The application has to be asked.
    case asked
  }

  package let handle: AttributeHandle
  /// The last handle of the attribute's group; its own if it begins none.
  package let end: AttributeHandle
  package let type: BluetoothUUID
  package let value: Value

  package init(handle: AttributeHandle, end: AttributeHandle? = nil, type: BluetoothUUID, value: Value) {
    self.handle = handle
    self.end = max(handle, end ?? handle)
    self.type = type
    self.value = value
  }
}

/// A server's answers to requests that search a range of handles (Core Specification, Vol 3, Part F, 3.4.3 and 3.4.4).
package struct AttributeSearch: Sendable {
  package enum Answer: Hashable, Sendable {
    case response(ATTPDU)
    /// The value of this attribute is asked for, and then sent with `readByTypeResponse`.
    case ask(AttributeHandle)
  }

  /// In ascending order of handles.
  private let attributes: [ATTAttribute]
  private let mtu: Int

  /// - Parameter attributes: in ascending order of handles.
  package init(_ attributes: [ATTAttribute], mtu: Int) {
    self.attributes = attributes
    self.mtu = max(mtu, ATTMTU.range.lowerBound)
  }

  /// Returns nil for any other PDU.
  package func answer(_ request: ATTPDU) -> Answer? {
    switch request {
    case .findInformationRequest(let range): .response(information(range) ?? notFound(request, range))
    case .findByTypeValueRequest(let range, let type, let value):
      .response(groups(range, type, value) ?? notFound(request, range))
    case .readByTypeRequest(let range, let type):
      values(range, type, request, headLength: 2) { rows in
        .readByTypeResponse(rows.map { ATTHandleValue(handle: $0.attribute.handle, value: $0.value) })
      }
    case .readByGroupTypeRequest(let range, let type) where Self.groupTypes.contains(type):
      values(range, type, request, headLength: 4) { rows in
        .readByGroupTypeResponse(rows.map { ATTGroup(range: $0.attribute.handle...$0.attribute.end, value: $0.value) })
      }
    case .readByGroupTypeRequest(let range, _):
      .response(request.error(.unsupportedGroupType, at: range.lowerBound))
    default: nil
    }
  }

  /// The response with the value that the application has sent: that attribute alone.
  package func readByTypeResponse(_ handle: AttributeHandle, _ value: [UInt8]) -> ATTPDU {
    .readByTypeResponse([ATTHandleValue(handle: handle, value: cut(value, after: 2))])
  }

  /// Primary and secondary services, the groups of the Generic Attribute Profile (Vol 3, Part G, 2.5.3).
  private static let groupTypes = [BluetoothUUID(0x2800 as UInt16), BluetoothUUID(0x2801 as UInt16)]

  private func notFound(_ request: ATTPDU, _ range: ClosedRange<AttributeHandle>) -> ATTPDU {
    request.error(.attributeNotFound, at: range.lowerBound)
  }

  private func matches(_ range: ClosedRange<AttributeHandle>, _ type: BluetoothUUID) -> some Sequence<ATTAttribute> {
    attributes.lazy.filter { range.contains($0.handle) && $0.type == type }
  }

  /// UUIDs of one width (3.4.3.2).
  private func information(_ range: ClosedRange<AttributeHandle>) -> ATTPDU? {
    let found = attributes.lazy.filter { range.contains($0.handle) }
    guard let width = found.first?.type.attributeType.width else { return nil }
    let rows = found.prefix { $0.type.attributeType.width == width }.prefix((mtu - 2) / (2 + width.rawValue))
    return .findInformationResponse(rows.map { ATTInformation(handle: $0.handle, type: $0.type) })
  }

  /// A value that cannot be read is no match (3.4.3.3).
  private func groups(
    _ range: ClosedRange<AttributeHandle>, _ type: BluetoothUUID, _ value: [UInt8]
  ) -> ATTPDU? {
    let found = matches(range, type).lazy.filter { $0.value == .bytes(value) }.prefix((mtu - 1) / 4)
    let groups = found.map { $0.handle...$0.end }
    return groups.isEmpty ? nil : .findByTypeValueResponse(groups)
  }

  /// Values of one length that fit, until one that is refused or has to be asked for (3.4.4.1 and 3.4.4.9).
  ///
  /// - Parameter headLength: the bytes before each value.
  private func values(
    _ range: ClosedRange<AttributeHandle>, _ type: BluetoothUUID, _ request: ATTPDU, headLength: Int,
    _ response: ([(attribute: ATTAttribute, value: [UInt8])]) -> ATTPDU
  ) -> Answer {
    var rows: [(attribute: ATTAttribute, value: [UInt8])] = []
    search: for attribute in matches(range, type) {
      switch attribute.value {
      case .refused(let error) where rows.isEmpty: return .response(request.error(error, at: attribute.handle))
      case .asked where rows.isEmpty: return .ask(attribute.handle)
      case .refused, .asked: break search
      case .bytes(let bytes):
        let value = cut(bytes, after: headLength)
        let length = rows.first?.value.count ?? value.count
        guard value.count == length, (rows.count + 1) * (headLength + length) <= mtu - 2 else { break search }
        rows.append((attribute, value))
      }
    }
    return .response(rows.isEmpty ? notFound(request, range) : response(rows))
  }

  /// A value fills a packet at most, and its length one byte (3.4.4.2 and 3.4.4.10).
  private func cut(_ value: [UInt8], after headLength: Int) -> [UInt8] {
    Array(value.prefix(min(mtu - 2, Int(UInt8.max)) - headLength))
  }
}
