import BleperaLoop

/// The clients that watch events. Of those who do not read, events are omitted.
extension ControlServer {
  /// An event in a form that a client has asked for.
  struct Event {
    enum Line {
      /// An `EventRecord` and a line feed.
      case record([UInt8])
      case text(String, ControlRequest.TextStyle)
    }

    let app: String?
    let line: Line

    var style: ControlRequest.TextStyle? { if case .text(_, let style) = line { style } else { nil } }
  }

  private static let maximumUnsent = 256

  /// Sends an event to the clients that watch it; its lines are made only if there are any.
  ///
  /// - Parameters:
  ///   - line: an `EventRecord` and a line feed.
  ///   - text: the same as text, colored or not; nil where the event is not shown.
  ///   - app: nil for events of the phone itself.
  ///   - isFrequent: of events of which there may be thousands a second. Those of 10 ms are sent together, so that
  ///     watching takes little of the time of requests; any other event and each reply are sent after them.
  package func report(
    line: @autoclosure () -> [UInt8], text: (Bool) -> String?, of app: String?, isFrequent: Bool = false
  ) {
    let count = unsent.count
    for client in clients.values where client.watches(app) {
      guard !unsent[count...].contains(where: { $0.style == client.text }) else { continue }
      if let style = client.text {
        if let text = text(style == .colored) { unsent.append(Event(app: app, line: .text(text, style))) }
      } else {
        unsent.append(Event(app: app, line: .record(line())))
      }
    }
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
      for event in unsent where client.watches(event.app) && event.style == client.text { batch.append(event.line) }
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
      case .text(let text, _): texts.lines.append(text)
      }
    }

    mutating func append(_ event: EventRecord, as style: ControlRequest.TextStyle?) {
      guard let style else { return append(.record(JSONLine.encode(event))) }
      let time = Timestamp(date: event.time) ?? .now
      append(.text(EventLine.text(event, at: time.clock, isColored: style == .colored), style))
    }
  }

  /// Says how many events were omitted, when the client has read those before.
  func sendOmission(to id: Int) {
    guard let client = clients[id], client.omitted > 0 else { return }
    var record = EventRecord(.eventsOmitted)
    record.time = Timestamp.now.date
    record.count = client.omitted
    clients[id]?.omitted = 0
    send([record], to: client)
  }

  func sendState(to client: Client) {
    send(currentState().filter { client.watches($0.app) }, to: client)
  }

  private func send(_ events: [EventRecord], to client: Client) {
    var batch = Batch()
    for event in events { batch.append(event, as: client.text) }
    if batch.count > 0 { client.socket.send(batch.bytes) }
  }
}
