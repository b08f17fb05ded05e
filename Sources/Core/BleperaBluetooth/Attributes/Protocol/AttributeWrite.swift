/// Bytes to be written to one attribute at an offset.
public struct AttributeWrite: Hashable, Codable, Sendable {
  /// The attribute.
  public var handle: AttributeHandle
  /// Where the bytes begin, in bytes from the start of the value.
  public var offset: Int
  /// The bytes.
  public var value: [UInt8]

  /// Creates a write to one attribute.
  public init(handle: AttributeHandle, offset: Int, value: [UInt8]) {
    self.handle = handle
    self.offset = offset
    self.value = value
  }
}

/// The prepared writes of one central, which a server keeps until they are executed or canceled (Core Specification,
/// Vol 3, Part F, 3.4.6).
public struct PrepareQueue: Hashable, Sendable {
  /// The maximum number of requests; bluetoothd's is 30.
  public let limit: Int
  /// The requests in order of arrival.
  public private(set) var requests: [AttributeWrite] = []

  /// Creates an empty queue for at most `limit` requests.
  public init(limit: Int = 30) { self.limit = limit }

  /// Queues one Prepare Write Request. Offset and length are checked against the value on execution, as the
  /// specification requires; throws `prepareQueueFull` for a full queue, which is unchanged.
  public mutating func enqueue(_ handle: AttributeHandle, offset: Int, value: [UInt8]) throws(ATTError) {
    guard requests.count < limit else { throw .prepareQueueFull }
    requests.append(AttributeWrite(handle: handle, offset: offset, value: value))
  }

  /// Empties the queue and returns the writes in the order of each attribute's first request. A chunk that begins where
  /// the attribute's previous chunk ended is joined to it.
  public mutating func execute() -> [AttributeWrite] {
    var writes: [[AttributeWrite]] = []
    for request in requests {
      guard let attribute = writes.firstIndex(where: { $0[0].handle == request.handle }) else {
        writes.append([request])
        continue
      }
      let last = writes[attribute].count - 1
      let end = writes[attribute][last].offset.addingReportingOverflow(writes[attribute][last].value.count)
      if !end.overflow, end.partialValue == request.offset {
        writes[attribute][last].value += request.value
      } else {
        writes[attribute].append(request)
      }
    }
    requests = []
    return writes.flatMap(\.self)
  }

  /// Discards all requests, as after an Execute Write Request with the flag 0x00 or a lost connection.
  public mutating func cancel() { requests = [] }
}

/// Operations on attribute values: long reads, writes at an offset and the maximum length.
public enum AttributeValue {
  /// The longest value of an attribute, in bytes (Core Specification, Vol 3, Part F, 3.2.9).
  public static let maximumLength = 512
  /// The longest value of a notification or of a Write Command, in bytes: an iPhone's ATT_MTU of 527 less 3 for the
  /// opcode and the handle.
  package static let maximumPacketLength = 524

  /// The response to a Read or Read Blob Request: the value from `offset` on. The transport truncates it to the MTU.
  public static func slice(_ value: [UInt8], from offset: Int) throws(ATTError) -> [UInt8] {
    guard offset >= 0, offset <= value.count else { throw .invalidOffset }
    return Array(value[offset...])
  }

  /// The value after a write of `bytes` at `offset`: the bytes before the offset are kept and the rest is replaced, so
  /// that the value ends with `bytes`, as a Write Request truncates a value (Core Specification, Vol 3, Part F,
  /// 3.4.5.1).
  ///
  /// - Parameter limit: The longest value that is accepted, in bytes.
  public static func writing(
    _ bytes: [UInt8], at offset: Int, to value: [UInt8], limit: Int = maximumLength
  ) throws(ATTError) -> [UInt8] {
    guard offset >= 0, offset <= value.count else { throw .invalidOffset }
    guard offset + bytes.count <= limit else { throw .invalidAttributeValueLength }
    return Array(value[..<offset]) + bytes
  }
}
