extension EventRecord {
  /// The kinds of events; `format` has the text of each.
  package enum Kind: String, CaseIterable, Sendable {
    case started
    case poweredOn, poweredOff, noAdapter, noDaemon, busLost, powerOnFailed
    case published, publishingFailed, unpublished, moved
    case advertising, advertisingSuppressed, advertisingWithheld, intervalsIgnored, packetsNotExact
    case advertisingFailed, advertisingLost, advertisingStopped
    case state, queued, dropped, terminated, preserved, restored, relaunching, relaunchFailed, relaunchGivenUp
    case valueRetained, stateDamaged, savingFailed, removed, apiMisuse
    case connected, disconnected, paired, bondForgotten, bondLost, pairingQuestion, pairingRefused, passkey,
      pairingAgentFailed
    case l2capPublished, l2capFailed, l2capUnpublished, l2capOpened, l2capClosed
    case subscribed, unsubscribed, read, write, notified, updateRefused, confirmed
    case discovered, peripheralConnected, peripheralDisconnected, received, writeDropped, alert
    case hostAttached, hostLeft, hostRefused
    case commandReceived
    case eventsOmitted
  }
}

extension EventRecord.Kind {
  /// Whether the event is shown as text: the effects of a command are visible.
  package var isShown: Bool { self != .commandReceived }

  /// Whether the event is one of a host outside the air, and of no phone.
  package var isOfHost: Bool { [.hostAttached, .hostLeft, .hostRefused].contains(self) }

  package enum Style: Sendable {
    case plain, success, warning, failure, connection, subscription, request, value, emphasis
  }

  /// The label and the style of the event in text output.
  package var format: (label: String, style: Style) {
    switch self {
    case .started: ("started", .plain)
    case .poweredOn: ("powered on", .success)
    case .poweredOff: ("powered off", .failure)
    case .noAdapter: ("no adapter", .failure)
    case .noDaemon: ("no bluetoothd", .failure)
    case .busLost: ("no bus", .failure)
    case .powerOnFailed: ("not powered", .failure)
    case .published: ("published", .success)
    case .publishingFailed: ("not published", .failure)
    case .unpublished: ("unpublished", .plain)
    case .moved: ("moved", .warning)
    case .advertising: ("advertising", .success)
    case .advertisingSuppressed: ("suppressed", .plain)
    case .advertisingWithheld: ("withheld", .warning)
    case .intervalsIgnored: ("intervals", .warning)
    case .packetsNotExact: ("packets", .warning)
    case .advertisingFailed: ("not advertised", .failure)
    case .advertisingLost: ("off the air", .failure)
    case .advertisingStopped: ("off the air", .plain)
    case .state: ("state", .emphasis)
    case .queued: ("queued", .warning)
    case .dropped: ("dropped", .failure)
    case .terminated: ("terminated", .failure)
    case .preserved: ("preserved", .warning)
    case .restored: ("restored", .success)
    case .relaunching: ("relaunching", .warning)
    case .relaunchFailed: ("not relaunched", .failure)
    case .relaunchGivenUp: ("given up", .failure)
    case .valueRetained: ("retained", .value)
    case .stateDamaged: ("damaged", .failure)
    case .savingFailed: ("not saved", .failure)
    case .removed: ("removed", .plain)
    case .apiMisuse: ("API misuse", .failure)
    case .connected: ("connected", .connection)
    case .disconnected: ("disconnected", .connection)
    case .paired: ("paired", .connection)
    case .bondForgotten: ("forgotten", .connection)
    case .bondLost: ("bond lost", .failure)
    case .pairingQuestion: ("pairing", .emphasis)
    case .pairingRefused: ("not paired", .failure)
    case .passkey: ("passkey", .emphasis)
    case .pairingAgentFailed: ("no pairing", .failure)
    case .l2capPublished: ("L2CAP channel", .success)
    case .l2capFailed: ("no channel", .failure)
    case .l2capUnpublished: ("channel off", .plain)
    case .l2capOpened: ("channel opened", .connection)
    case .l2capClosed: ("channel closed", .connection)
    case .subscribed: ("subscribed", .subscription)
    case .unsubscribed: ("unsubscribed", .subscription)
    case .read: ("read", .request)
    case .write: ("write", .request)
    case .notified: ("notified", .value)
    case .updateRefused: ("not notified", .failure)
    case .confirmed: ("confirmed", .value)
    case .discovered: ("discovered", .request)
    case .peripheralConnected: ("connected to", .connection)
    case .peripheralDisconnected: ("disconnected", .connection)
    case .received: ("received", .value)
    case .writeDropped: ("not written", .failure)
    case .alert: ("alert", .emphasis)
    case .hostAttached: ("host attached", .connection)
    case .hostLeft: ("host left", .connection)
    case .hostRefused: ("host refused", .warning)
    case .commandReceived: ("command", .plain)
    case .eventsOmitted: ("omitted", .failure)
    }
  }
}
