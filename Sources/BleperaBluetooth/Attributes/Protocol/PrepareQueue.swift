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
