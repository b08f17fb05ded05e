package import BleperaAppLink
package import BleperaPhone
package import BleperaRecording

/// An event of a session of `serve`, `lab` or `system`; printing is the command's task.
package enum SessionEvent: Sendable {
  /// The session's settings, before all events.
  case began(TraceHeader)
  /// An event of a phone.
  ///
  /// - Parameters:
  ///   - of: the app that the event concerns.
  ///   - number: the index of the phone, in a lab.
  case phone(PhoneEvent, of: String?, number: Int)
  /// An event of the only phone, which runs in another process.
  case record(EventRecord)
  case accessory(EventRecord, name: String)
  /// Events of the only phone as text, if the session has requested text.
  case lines([EventText])
  /// A phone was started as a separate process.
  case phoneStarted(name: String, process: Int32, log: String)
  /// The phone has ended unexpectedly and is being restarted.
  case phoneRestarting
  /// The session's next action, a sentence.
  case note(String)
  case phonesNamed([String])
  case serving
  /// A program has attached to the HCI of the air, left or was refused.
  case host(EventRecord)
  /// A line for a person at the terminal, such as why the phone has refused a command.
  case hint(String)
  /// The variables that other programs need to find the virtual air.
  case ready([(name: String, value: String)])
  /// The reason that a session which continues has lost a part.
  case failed(String)
}

extension SessionEvent {
  /// The hint after Ctrl-C in `serve`.
  package static let forceQuit = hint(
    """
    Ctrl-C was a force quit: nothing of the apps is preserved. To see an app restored, end it with 'blepera terminate', \
    or this command with SIGTERM.
    """)
}

/// Receives the events of a session, on the session's loop.
package typealias SessionObserver = @Sendable (SessionEvent) -> Void

/// A session whose apps a user controls from its own terminal.
package protocol ControllableSession: Actor {
  /// Performs a command for the apps of the session.
  func perform(_ command: ControlRequest.Command)
  func toggleScreen()
  /// Connects the session's central now; nil if the session has no central, false if it discovers nothing.
  func connectCentral() -> Bool?
  /// Requests a write by the session's central, over a new connection if it has none; returns as `connectCentral` does.
  func writeFromCentral() -> Bool?
  /// Ends the session as Ctrl-C does.
  func interrupt()
}
