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
      let events = unsent.filter { client.watches($0.app) && $0.style == client.text }
      guard !events.isEmpty else { continue }
      if client.omitted > 0 || !client.socket.offer(Self.bytes(of: events.map(\.line))) {
        clients[id]?.omitted += events.count
      }
    }
    unsent = []
  }

  /// Records, or texts as one message.
  private static func bytes(of lines: [Event.Line]) -> [UInt8] {
    var records: [UInt8] = []
    var texts = EventLines()
    for line in lines {
      switch line {
      case .record(let bytes): records += bytes
      case .text(let text, _): texts.lines.append(text)
      }
    }
    return texts.lines.isEmpty ? records : JSONLine.encode(texts)
  }

  /// Says how many events were omitted, when the client has read those before.
  func sendOmission(to id: Int) {
    guard let client = clients[id], client.omitted > 0 else { return }
    var record = EventRecord(.eventsOmitted)
    record.time = Timestamp.now.date
    record.count = client.omitted
    clients[id]?.omitted = 0
    client.socket.send(Self.bytes(of: [record], style: client.text))
  }

  func sendState(to client: Client) {
    let events = currentState().filter { client.watches($0.app) }
    if !events.isEmpty { client.socket.send(Self.bytes(of: events, style: client.text)) }
  }

  private static func bytes(of events: [EventRecord], style: ControlRequest.TextStyle?) -> [UInt8] {
    guard let style else { return bytes(of: events.map { .record(JSONLine.encode($0)) }) }
    return bytes(
      of: events.map { event in
        let time = Timestamp(date: event.time) ?? .now
        return .text(EventLine.text(event, at: time.clock, isColored: style == .colored), style)
      })
  }
}
