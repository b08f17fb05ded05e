package import BleperaAppLink

extension EventRecord.Kind {
  /// The keys of an event besides `event`, `time`, `phone` and `side`: those that it always has, and those that it may
  /// have.
  package var keys: (always: Set<EventKey>, sometimes: Set<EventKey>) {
    switch self {
    case .started: ([.blepera, .version], [])
    case .poweredOn, .poweredOff: ([.adapter], [])
    case .noAdapter: ([], [.adapter, .reason])
    case .noDaemon: ([], [.reason])
    case .busLost, .advertisingLost, .advertisingStopped: ([], [])
    case .powerOnFailed: ([.adapter, .reason], [])
    case .published, .moved: ([.handles, .service], [.app])
    case .publishingFailed: ([.reason, .service], [.app])
    case .unpublished: ([.service], [.app])
    case .advertising:
      (
        [.serviceUUIDs],
        [
          .advertisingData, .interval, .intervalHonored, .intervalKind, .localName, .overflowServiceUUIDs, .reasons,
          .scanResponse,
        ]
      )
    case .advertisingSuppressed: ([.reasons], [])
    case .advertisingWithheld: ([.app, .rule], [])
    case .advertisingFailed, .intervalsIgnored, .packetsNotExact, .pairingAgentFailed, .stateDamaged: ([.reason], [])
    case .state: ([.app, .reason, .state], [])
    case .queued: ([.app, .pendingEvent], [.central, .peripheral])
    case .dropped: ([.app, .pendingEvent, .rule], [.central, .peripheral])
    case .terminated, .preserved, .relaunching, .relaunchFailed: ([.app, .reason], [])
    case .restored:
      (
        [],
        [
          .app, .awaitedSubscriptions, .peripherals, .preservedSince, .screenLocked, .serviceUUIDs, .state,
          .subscriptions,
        ]
      )
    case .relaunchGivenUp, .removed: ([.app], [])
    case .valueRetained, .notified: ([.centrals, .characteristic, .service, .value], [.app, .limit])
    case .savingFailed, .apiMisuse, .l2capFailed: ([.reason], [.app])
    case .connected, .disconnected, .paired: ([.central], [])
    case .bondForgotten: ([], [.central, .peripheral])
    case .bondLost: ([.reason], [.central, .peripheral])
    case .pairingQuestion: ([.reason], [.central, .passkey, .peripheral])
    case .pairingRefused: ([.central, .reason], [])
    case .passkey: ([.central, .passkey], [])
    case .l2capPublished: ([.encrypted, .psm], [.app])
    case .l2capUnpublished: ([.psm], [.app])
    case .l2capOpened: ([.psm], [.app, .central, .peripheral])
    case .l2capClosed: ([.psm, .received, .sent], [.app, .central, .peripheral])
    case .subscribed, .unsubscribed: ([.central, .characteristic, .service], [.app])
    case .read:
      (
        [.cached, .central, .characteristic, .offset, .service],
        [.app, .descriptor, .error, .responseMilliseconds, .rule, .value]
      )
    case .write:
      (
        [.acknowledged, .central, .characteristic, .offset, .service, .value],
        [.app, .descriptor, .error, .piece, .pieces, .responseMilliseconds, .rule]
      )
    case .updateRefused: ([.characteristic, .reason, .service, .value], [.app])
    case .confirmed: ([.characteristic, .service], [.app])
    case .discovered: ([.app, .peripheral, .serviceUUIDs], [.localName, .overflowServiceUUIDs])
    case .peripheralConnected: ([.peripheral], [.localName])
    case .peripheralDisconnected: ([.peripheral, .reason], [])
    case .received: ([.app, .characteristic, .peripheral, .service, .value], [.descriptor])
    case .writeDropped: ([.app, .peripheral, .reason, .value], [.characteristic, .descriptor, .service])
    case .alert: ([.app, .peripheral, .reason], [])
    case .hostAttached: ([.host], [.capture])
    case .hostLeft: ([.host], [.reason])
    case .hostRefused: ([.host], [])
    case .commandReceived: ([.command], [.app, .characteristic, .defect, .method, .on, .value])
    case .eventsOmitted: ([.count], [])
    }
  }

  /// The kinds of the events that accessories report too.
  package static let ofAccessories: Set<Self> = [
    .poweredOff, .publishingFailed, .advertising, .connected, .disconnected, .paired, .bondForgotten, .bondLost,
    .passkey,
    .subscribed, .unsubscribed,
    .read, .write, .notified,
  ]
}
