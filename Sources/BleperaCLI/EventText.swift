import EventTrace

/// An event as a line for a person, on a terminal.
struct EventText {
  let terminal: Terminal

  /// The colour of an event's word; what is not here is plain.
  private static let styles: [String: Terminal.Style] = [
    "published": .green, "advertising": .green, "poweredOn": .green, "connected": .cyan, "disconnected": .cyan,
    "paired": .cyan, "subscribed": .blue, "unsubscribed": .blue, "read": .yellow, "write": .yellow,
    "notified": .magenta, "confirmed": .magenta, "passkey": .bold, "publishingFailed": .red,
    "advertisingFailed": .red, "advertisingLost": .red, "noDaemon": .red, "noAdapter": .red, "poweringFailed": .red,
    "poweredOff": .red, "pairingRefused": .red, "agentFailed": .red, "busLost": .red, "dropped": .red,
    "terminated": .red, "advertisingWithheld": .yellow, "intervalsIgnored": .yellow, "queued": .yellow,
    "state": .bold, "preserved": .yellow, "restored": .green, "relaunching": .yellow, "relaunchFailed": .red,
    "relaunchGivenUp": .red, "kept": .magenta, "stateDamaged": .red, "notSaved": .red,
  ]

  func line(_ record: EventRecord, at time: Timestamp) -> String {
    EventLine.text(record, at: time.clock) { part, text in
      switch part {
      case .time: terminal.styled(text, .dim)
      case .word: terminal.styled(text, Self.styles[record.event] ?? .plain)
      }
    }
  }
}
