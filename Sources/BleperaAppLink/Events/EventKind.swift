extension EventRecord {
  /// What happened. `format` describes each kind.
  package enum Kind: String, Encodable, CaseIterable, JSONRaw {
    case started
    case poweredOn, poweredOff, noAdapter, noDaemon, busLost, powerOnFailed
    case published, publishingFailed, unpublished, moved
    case advertising, advertisingSuppressed, advertisingWithheld, intervalsIgnored, packetsNotExact
    case advertisingFailed, advertisingLost, advertisingStopped
    case state, queued, dropped, terminated, preserved, restored, relaunching, relaunchFailed, relaunchGivenUp
    case valueRetained, stateDamaged, savingFailed, removed, apiMisuse
    case connected, disconnected, paired, pairingRefused, passkey, pairingAgentFailed
    case l2capPublished, l2capFailed, l2capUnpublished, l2capOpened, l2capClosed
    case subscribed, unsubscribed, read, write, notified, updateRefused, confirmed
    case commandReceived
    case eventsOmitted
  }
}

extension EventRecord.Kind {
  /// How an event is printed and compared.
  package struct Format: Sendable {
    /// What text output shows for the event.
    package var label: String
    package var style: Style
    /// Which events keep their order relative to this one; nil for those that a replay does not compare.
    package var stream: Stream?

    fileprivate init(_ label: String, _ style: Style, _ stream: Stream?) {
      self.label = label
      self.style = style
      self.stream = stream
    }
  }

  /// Whether the event is shown as text: the effects of a command are visible, its record is for replays.
  package var isShown: Bool { self != .commandReceived }

  package enum Style: Sendable {
    case plain, success, warning, failure, connection, subscription, request, value, emphasis
  }

  /// The part of the phone that reports an event. Events of one stream are ordered; those of different streams are not.
  package enum Stream: Sendable {
    case radio, advertising, publishing, app, central, value
  }

  package var format: Format {
    switch self {
    case .started: Format("started", .plain, nil)
    case .poweredOn: Format("powered on", .success, .radio)
    case .poweredOff: Format("powered off", .failure, .radio)
    case .noAdapter: Format("no adapter", .failure, .radio)
    case .noDaemon: Format("no bluetoothd", .failure, .radio)
    case .busLost: Format("no bus", .failure, nil)
    case .powerOnFailed: Format("not powered", .failure, nil)
    case .published: Format("published", .success, .publishing)
    case .publishingFailed: Format("not published", .failure, .publishing)
    case .unpublished: Format("unpublished", .plain, .publishing)
    case .moved: Format("moved", .warning, nil)
    case .advertising: Format("advertising", .success, .advertising)
    case .advertisingSuppressed: Format("suppressed", .plain, .advertising)
    case .advertisingWithheld: Format("withheld", .warning, .app)
    case .intervalsIgnored: Format("intervals", .warning, nil)
    case .packetsNotExact: Format("packets", .warning, nil)
    case .advertisingFailed: Format("not advertised", .failure, nil)
    case .advertisingLost: Format("off the air", .failure, nil)
    case .advertisingStopped: Format("off the air", .plain, .advertising)
    case .state: Format("state", .emphasis, .app)
    case .queued: Format("queued", .warning, .app)
    case .dropped: Format("dropped", .failure, .app)
    case .terminated: Format("terminated", .failure, .app)
    case .preserved: Format("preserved", .warning, .app)
    case .restored: Format("restored", .success, nil)
    case .relaunching: Format("relaunching", .warning, .app)
    case .relaunchFailed: Format("not relaunched", .failure, .app)
    case .relaunchGivenUp: Format("given up", .failure, .app)
    case .valueRetained: Format("retained", .value, nil)
    case .stateDamaged: Format("damaged", .failure, nil)
    case .savingFailed: Format("not saved", .failure, nil)
    case .removed: Format("removed", .plain, .app)
    case .apiMisuse: Format("API misuse", .failure, .app)
    case .connected: Format("connected", .connection, .central)
    case .disconnected: Format("disconnected", .connection, .central)
    case .paired: Format("paired", .connection, .central)
    case .pairingRefused: Format("not paired", .failure, .central)
    case .passkey: Format("passkey", .emphasis, nil)
    case .pairingAgentFailed: Format("no pairing", .failure, nil)
    case .l2capPublished: Format("L2CAP channel", .success, nil)
    case .l2capFailed: Format("no channel", .failure, nil)
    case .l2capUnpublished: Format("channel off", .plain, nil)
    case .l2capOpened: Format("channel opened", .connection, nil)
    case .l2capClosed: Format("channel closed", .connection, nil)
    case .subscribed: Format("subscribed", .subscription, .central)
    case .unsubscribed: Format("unsubscribed", .subscription, .central)
    case .read: Format("read", .request, .central)
    case .write: Format("write", .request, .central)
    case .notified: Format("notified", .value, .value)
    case .updateRefused: Format("not notified", .failure, nil)
    case .confirmed: Format("confirmed", .value, nil)
    case .commandReceived: Format("command", .plain, nil)
    case .eventsOmitted: Format("omitted", .failure, nil)
    }
  }
}
