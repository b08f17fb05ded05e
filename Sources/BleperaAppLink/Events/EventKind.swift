extension EventRecord {
  /// What happened. `format` describes each kind.
  package enum Kind: String, Codable, CaseIterable, Sendable {
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

  /// A key of the JSON object besides `event`, `time`, `side` and `phone`.
  package enum Field: String, CaseIterable, Sendable {
    case version, blepera, adapter, service, characteristic, descriptor, handles, localName, serviceUUIDs
    case overflowServiceUUIDs, intervalKind, interval, intervalHonored, reasons, app, awaitedSubscriptions, state
    case pendingEvent, command, central, centrals, offset, value, cached, acknowledged, error, responseMilliseconds
    case piece, pieces, method, rule, passkey, count, reason, advertisingData, scanResponse
    case psm, encrypted, received, sent, preservedSince, screenLocked
  }
}

extension EventRecord.Kind {
  /// How an event is printed and compared, and which keys its record may have.
  package struct Format: Sendable {
    /// What text output shows for the event.
    package var label: String
    package var style: Style
    /// Which events keep their order relative to this one; nil for those that a replay does not compare.
    package var stream: Stream?
    package var fields: [EventRecord.Field]

    fileprivate init(_ label: String, _ style: Style, _ stream: Stream?, _ fields: [EventRecord.Field] = []) {
      self.label = label
      self.style = style
      self.stream = stream
      self.fields = fields
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
    let characteristic: [EventRecord.Field] = [.app, .service, .characteristic]
    let request: [EventRecord.Field] =
      characteristic + [.central, .descriptor, .offset, .value, .error, .rule, .responseMilliseconds]
    return switch self {
    case .started: Format("started", .plain, nil, [.version, .blepera])
    case .poweredOn: Format("powered on", .success, .radio, [.adapter])
    case .poweredOff: Format("powered off", .failure, .radio, [.adapter])
    case .noAdapter: Format("no adapter", .failure, .radio, [.adapter])
    case .noDaemon: Format("no bluetoothd", .failure, .radio)
    case .busLost: Format("no bus", .failure, nil)
    case .powerOnFailed: Format("not powered", .failure, nil, [.adapter, .reason])
    case .published: Format("published", .success, .publishing, [.app, .service, .handles])
    case .publishingFailed: Format("not published", .failure, .publishing, [.app, .service, .reason])
    case .unpublished: Format("unpublished", .plain, .publishing, [.app, .service])
    case .moved: Format("moved", .warning, nil, [.app, .service, .handles])
    case .advertising:
      Format(
        "advertising", .success, .advertising,
        [
          .localName, .serviceUUIDs, .overflowServiceUUIDs, .intervalKind, .interval, .intervalHonored,
          .advertisingData, .scanResponse, .reasons,
        ])
    case .advertisingSuppressed: Format("suppressed", .plain, .advertising, [.reasons])
    case .advertisingWithheld: Format("withheld", .warning, .app, [.app, .rule])
    case .intervalsIgnored: Format("intervals", .warning, nil, [.reason])
    case .packetsNotExact: Format("packets", .warning, nil, [.reason])
    case .advertisingFailed: Format("not advertised", .failure, nil, [.reason])
    case .advertisingLost: Format("off the air", .failure, nil)
    case .advertisingStopped: Format("off the air", .plain, .advertising)
    case .state: Format("state", .emphasis, .app, [.app, .state, .reason])
    case .queued: Format("queued", .warning, .app, [.app, .pendingEvent, .central])
    case .dropped: Format("dropped", .failure, .app, [.app, .pendingEvent, .central])
    case .terminated: Format("terminated", .failure, .app, [.app, .reason])
    case .preserved: Format("preserved", .warning, .app, [.app, .reason])
    case .restored:
      Format(
        "restored", .success, nil,
        [.app, .serviceUUIDs, .awaitedSubscriptions, .state, .preservedSince, .screenLocked])
    case .relaunching: Format("relaunching", .warning, .app, [.app, .reason])
    case .relaunchFailed: Format("not relaunched", .failure, .app, [.app, .reason])
    case .relaunchGivenUp: Format("given up", .failure, .app, [.app])
    case .valueRetained: Format("retained", .value, nil, characteristic + [.centrals, .value])
    case .stateDamaged: Format("damaged", .failure, nil, [.reason])
    case .savingFailed: Format("not saved", .failure, nil, [.app, .reason])
    case .removed: Format("removed", .plain, .app, [.app])
    case .apiMisuse: Format("API misuse", .failure, .app, [.app, .reason])
    case .connected: Format("connected", .connection, .central, [.central])
    case .disconnected: Format("disconnected", .connection, .central, [.central])
    case .paired: Format("paired", .connection, .central, [.central])
    case .pairingRefused: Format("not paired", .failure, .central, [.central, .reason])
    case .passkey: Format("passkey", .emphasis, nil, [.central, .passkey])
    case .pairingAgentFailed: Format("no pairing", .failure, nil, [.reason])
    case .l2capPublished: Format("L2CAP channel", .success, nil, [.app, .psm, .encrypted])
    case .l2capFailed: Format("no channel", .failure, nil, [.app, .reason])
    case .l2capUnpublished: Format("channel off", .plain, nil, [.app, .psm])
    case .l2capOpened: Format("channel opened", .connection, nil, [.app, .central, .psm])
    case .l2capClosed: Format("channel closed", .connection, nil, [.app, .central, .psm, .received, .sent])
    case .subscribed: Format("subscribed", .subscription, .central, characteristic + [.central])
    case .unsubscribed: Format("unsubscribed", .subscription, .central, characteristic + [.central])
    case .read: Format("read", .request, .central, request + [.cached])
    case .write: Format("write", .request, .central, request + [.acknowledged, .piece, .pieces])
    case .notified: Format("notified", .value, .value, characteristic + [.centrals, .value])
    case .updateRefused: Format("not notified", .failure, nil, characteristic + [.value, .reason])
    case .confirmed: Format("confirmed", .value, nil, characteristic)
    case .commandReceived: Format("command", .plain, nil, [.command, .app, .method, .characteristic, .value])
    case .eventsOmitted: Format("omitted", .failure, nil, [.count])
    }
  }
}
