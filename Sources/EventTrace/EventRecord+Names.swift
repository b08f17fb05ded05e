extension EventRecord {
  /// Of all events there are.
  package static let names: Set<String> = [
    "poweredOn", "poweredOff", "noAdapter", "noDaemon", "busLost", "poweringFailed", "published", "publishingFailed",
    "unpublished", "advertising", "silent", "advertisingWithheld", "intervalsIgnored", "advertisingFailed",
    "advertisingLost", "advertisingStopped", "state", "queued", "dropped", "terminated", "preserved", "restored",
    "relaunching", "relaunchFailed", "relaunchGivenUp", "kept", "stateDamaged", "notSaved", "ended", "connected",
    "disconnected", "paired", "pairingRefused", "passkey", "agentFailed", "subscribed", "unsubscribed", "read", "write",
    "notified", "confirmed", "asked",
  ]
}
