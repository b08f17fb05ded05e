/// The prepared writes of one central, as a server keeps them until it says what becomes of them (Core Specification,
/// Vol 3, Part F, 3.4.6).
public struct PrepareQueue: Hashable, Sendable {
  /// How many requests it holds; bluetoothd's is 30.
  public let limit: Int
  /// The requests in the order they came.
  public private(set) var requests: [PreparedWrite] = []

  public init(limit: Int = 30) { self.limit = limit }

  /// Keeps one Prepare Write request. Offset and length are checked against the value when it is executed, as the
  /// specification asks; a full queue is `prepareQueueFull` and changes nothing.
  public mutating func enqueue(_ handle: AttributeHandle, offset: Int, value: [UInt8]) throws(ATTError) {
    guard requests.count < limit else { throw .prepareQueueFull }
    requests.append(PreparedWrite(handle: handle, offset: offset, value: value))
  }

  /// Empties the queue into what each attribute is to be written, in the order the attributes were first named: a
  /// chunk that begins where the attribute's last one ended is joined to it.
  public mutating func execute() -> [PreparedWrite] {
    var writes: [[PreparedWrite]] = []
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

  /// Forgets everything, as after Execute Write with the flag 0x00 or a lost connection.
  public mutating func cancel() { requests = [] }
}
