import BleperaLoop

/// The clients that watch events. Of those who do not read, events are omitted.
extension ControlServer {
  /// An event in a form that a client has asked for.
  struct Event {
    enum Line {
      /// An `EventRecord` and a line feed.
      case record([UInt8])
      case text(EventText)
    }

    let app: String?
    let line: Line

    init(_ record: EventRecord, at time: Timestamp, of app: String?, isText: Bool) {
      self.app = app
      if isText {
        line = .text(EventText(record, at: time))
      } else {
        var record = record
        record.time = time.date
        line = .record(JSONLine.encode(record))
      }
    }

    var isText: Bool { if case .text = line { true } else { false } }
  }

  private static let maximumUnsent = 256

  /// Sends an event to the clients that watch it; its record is made only if there are any.
  ///
  /// - Parameters:
  ///   - app: nil for events of the phone itself.
  ///   - isFrequent: of events of which there may be thousands a second. Those of 10 ms are sent together, so that
  ///     watching takes little of the time of requests; any other event and each reply are sent after them.
  package func report(
    _ record: @autoclosure () -> EventRecord, at time: Timestamp = .now, of app: String?, isFrequent: Bool = false
  ) {
    var (wantsText, wantsRecord) = (false, false)
    for client in clients.values where client.watches(app) {
      if client.isText { wantsText = true } else { wantsRecord = true }
    }
    guard wantsText || wantsRecord else { return }
    let (record, count) = (record(), unsent.count)
    if wantsText, record.event.isShown { unsent.append(Event(record, at: time, of: app, isText: true)) }
    if wantsRecord { unsent.append(Event(record, at: time, of: app, isText: false)) }
    guard unsent.count > count else { return }
    guard isFrequent, unsent.count < Self.maximumUnsent else { return sendEvents() }
    if sending == nil {
      sending = loop.schedule(after: .milliseconds(10)) { [weak self] in self?.assumeIsolated { $0.sendEvents() } }
    }
  }

  func sendEvents() {
    sending?.cancel()
    sending = nil
    guard !unsent.isEmpty else { return }
    for (id, client) in clients where client.watched != nil {
      var batch = Batch()
      for event in unsent where client.watches(event.app) && event.isText == client.isText { batch.append(event.line) }
      guard batch.count > 0 else { continue }
      if client.omitted > 0 || !client.socket.offer(batch.bytes) { clients[id]?.omitted += batch.count }
    }
    unsent = []
  }

  /// Events for one client, in one form: records, or texts in one message.
  private struct Batch {
    private(set) var count = 0
    private var records: [UInt8] = []
    private var texts = EventLines()

    var bytes: [UInt8] { texts.lines.isEmpty ? records : JSONLine.encode(texts) }

    mutating func append(_ line: Event.Line) {
      count += 1
      switch line {
      case .record(let bytes): records += bytes
      case .text(let text): texts.lines.append(text)
      }
    }
  }

  /// Says how many events were omitted, when the client has read those before.
  func sendOmission(to id: Int) {
    guard let client = clients[id], client.omitted > 0 else { return }
    clients[id]?.omitted = 0
    send([.omitted(client.omitted)], to: client)
  }

  func sendState(to client: Client) {
    send(currentState().filter { client.watches($0.app) }, to: client)
  }

  private func send(_ events: [EventRecord], to client: Client) {
    var batch = Batch()
    for event in events { batch.append(Event(event, at: .now, of: nil, isText: client.isText).line) }
    if batch.count > 0 { client.socket.send(batch.bytes) }
  }
}
