extension EventRecord {
  /// What happened. `format` describes each kind.
  package enum Kind: String, CaseIterable, Sendable {
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
    case discovered, peripheralConnected, peripheralDisconnected, received, alert
    case hostAttached, hostLeft, hostRefused
    case commandReceived
    case eventsOmitted
  }
}

extension EventRecord.Kind {
  /// Whether the event is shown as text: the effects of a command are visible, its record is for replays.
  package var isShown: Bool { self != .commandReceived }

  /// Whether the event is one of a host outside the air, and of no phone.
  package var isOfHost: Bool { [.hostAttached, .hostLeft, .hostRefused].contains(self) }

  package enum Style: Sendable {
    case plain, success, warning, failure, connection, subscription, request, value, emphasis
  }

  /// The part of the phone that reports an event. Events of one stream are ordered; those of different streams are not.
  package enum Stream: Sendable {
    case radio, advertising, publishing, app, central, value
  }

  /// How an event is printed and compared: what text output shows for it, and which events keep their order relative to
  /// it; nil for those that a replay does not compare.
  package var format: (label: String, style: Style, stream: Stream?) {
    switch self {
    case .started: ("started", .plain, nil)
    case .poweredOn: ("powered on", .success, .radio)
    case .poweredOff: ("powered off", .failure, .radio)
    case .noAdapter: ("no adapter", .failure, .radio)
    case .noDaemon: ("no bluetoothd", .failure, .radio)
    case .busLost: ("no bus", .failure, nil)
    case .powerOnFailed: ("not powered", .failure, nil)
    case .published: ("published", .success, .publishing)
    case .publishingFailed: ("not published", .failure, .publishing)
    case .unpublished: ("unpublished", .plain, .publishing)
    case .moved: ("moved", .warning, nil)
    case .advertising: ("advertising", .success, .advertising)
    case .advertisingSuppressed: ("suppressed", .plain, .advertising)
    case .advertisingWithheld: ("withheld", .warning, .app)
    case .intervalsIgnored: ("intervals", .warning, nil)
    case .packetsNotExact: ("packets", .warning, nil)
    case .advertisingFailed: ("not advertised", .failure, nil)
    case .advertisingLost: ("off the air", .failure, nil)
    case .advertisingStopped: ("off the air", .plain, .advertising)
    case .state: ("state", .emphasis, .app)
    case .queued: ("queued", .warning, .app)
    case .dropped: ("dropped", .failure, .app)
    case .terminated: ("terminated", .failure, .app)
    case .preserved: ("preserved", .warning, .app)
    case .restored: ("restored", .success, nil)
    case .relaunching: ("relaunching", .warning, .app)
    case .relaunchFailed: ("not relaunched", .failure, .app)
    case .relaunchGivenUp: ("given up", .failure, .app)
    case .valueRetained: ("retained", .value, nil)
    case .stateDamaged: ("damaged", .failure, nil)
    case .savingFailed: ("not saved", .failure, nil)
    case .removed: ("removed", .plain, .app)
    case .apiMisuse: ("API misuse", .failure, .app)
    case .connected: ("connected", .connection, .central)
    case .disconnected: ("disconnected", .connection, .central)
    case .paired: ("paired", .connection, .central)
    case .pairingRefused: ("not paired", .failure, .central)
    case .passkey: ("passkey", .emphasis, nil)
    case .pairingAgentFailed: ("no pairing", .failure, nil)
    case .l2capPublished: ("L2CAP channel", .success, nil)
    case .l2capFailed: ("no channel", .failure, nil)
    case .l2capUnpublished: ("channel off", .plain, nil)
    case .l2capOpened: ("channel opened", .connection, nil)
    case .l2capClosed: ("channel closed", .connection, nil)
    case .subscribed: ("subscribed", .subscription, .central)
    case .unsubscribed: ("unsubscribed", .subscription, .central)
    case .read: ("read", .request, .central)
    case .write: ("write", .request, .central)
    case .notified: ("notified", .value, .value)
    case .updateRefused: ("not notified", .failure, nil)
    case .confirmed: ("confirmed", .value, nil)
    case .discovered: ("discovered", .request, nil)
    case .peripheralConnected: ("connected to", .connection, nil)
    case .peripheralDisconnected: ("disconnected", .connection, nil)
    case .received: ("received", .value, nil)
    case .alert: ("alert", .emphasis, nil)
    case .hostAttached: ("host attached", .connection, nil)
    case .hostLeft: ("host left", .connection, nil)
    case .hostRefused: ("host refused", .warning, nil)
    case .commandReceived: ("command", .plain, nil)
    case .eventsOmitted: ("omitted", .failure, nil)
    }
  }
}
