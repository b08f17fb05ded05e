import BleperaBluetooth

/// The server of one link: the request that it answers, and the writes that are prepared.
struct LinkServer: Sendable {
  /// The part of the request that is being answered.
  private enum Part {
    case whole
    /// Carries the attributes that are not read, the one that is being read first.
    case reading([AttributeHandle], values: [[UInt8]])
    /// Carries the attribute that an Execute Write Request writes.
    case executing(AttributeHandle)
  }

  /// The peer's request that is not answered.
  private var request: ATTPDU?
  private var part = Part.whole
  /// The application's response that the request waits for.
  private(set) var pending: PendingRequest?
  var prepared = PrepareQueue()
  /// Whether the two MTUs have been exchanged, which happens once.
  private(set) var hasExchangedMTU = false

  /// The attribute that a request for several values reads.
  var reading: AttributeHandle? { if case .reading(let rest, _) = part { rest.first } else { nil } }

  /// Takes a request, also a narrower one in place of the peer's. Returns false for a request that the peer has sent
  /// before the response to another one (Core Specification, Vol 3, Part F, 3.3.2).
  @discardableResult
  mutating func begin(_ pdu: ATTPDU) -> Bool {
    guard pending == nil else { return false }
    request = pdu
    switch pdu {
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
      part = .reading(handles, values: [])
    default: part = .whole
    }
    return true
  }

  /// The request has been answered.
  mutating func end() { (request, part) = (nil, .whole) }

  /// Ends the request, and returns the response.
  ///
  /// - Parameter joined: whether prepared writes are joined. If they are not, errors of the queue, 07 and 0D, name no
  ///   attribute, as the specification says; bluetoothd names one (Core Specification, Vol 3, Part F, 3.4.6.3).
  mutating func respond(_ result: Result<[UInt8], ATTError>, mtu: Int, joined: Bool) -> ATTPDU? {
    guard let request else { return nil }
    var attribute = reading
    if case .executing(let handle) = part,
      joined || result != .failure(.invalidOffset) && result != .failure(.invalidAttributeValueLength)
    {
      attribute = handle
    }
    end()
    return request.answer(result, mtu: mtu, at: attribute ?? 0)
  }

  /// Ends the request of the MTU. Returns false after the first one.
  mutating func exchangeMTU() -> Bool {
    defer { hasExchangedMTU = true }
    if !hasExchangedMTU { end() }
    return !hasExchangedMTU
  }

  mutating func wait(for pending: PendingRequest) { self.pending = pending }

  /// The application has responded. Returns nil where the request does not wait for that.
  mutating func answered(_ id: AttributeRequestID) -> PendingRequest.Purpose? {
    guard let pending, pending.id == id else { return nil }
    self.pending = nil
    return pending.purpose
  }

  /// Returns the value for the response; nil where the next value is read first (Core Specification, Vol 3, Part F,
  /// 3.4.4.7 and 3.4.4.11).
  mutating func hasRead(_ value: [UInt8]) -> [UInt8]? {
    guard case .reading(var rest, var values) = part else { return value }
    part = .whole
    rest.removeFirst()
    values.append(value)
    if !rest.isEmpty {
      part = .reading(rest, values: values)
      return nil
    }
    return if case .readMultipleRequest = request { values.flatMap(\.self) } else { ATTPDU.lengthsAndValues(values) }
  }

  /// The Execute Write Request writes that attribute now.
  mutating func executes(_ handle: AttributeHandle) { part = .executing(handle) }
}

/// A request for which the server waits for the application before it responds.
struct PendingRequest: Hashable, Sendable {
  /// The purpose of the application's response.
  enum Purpose: Hashable, Sendable {
    case read
    case write
    /// The application decides whether the write may be prepared.
    case prepare(AttributeWrite)
    /// Carries the remaining writes of the same execution.
    case execute(rest: [AttributeWrite])
  }

  let id: AttributeRequestID
  let objects: [ApplicationObject]
  let purpose: Purpose
}
