package import BleperaAppLink
import BleperaProfileApp

/// Commands for the apps from the session's terminal.
extension ServeSession {
  package func perform(_ command: ControlRequest.Command) {
    guard end.reason == nil else { return }
    for profile in profiles { ask(ControlRequest(command, app: profile.identifier)) }
  }

  package func toggleScreen() {
    Task {
      guard let status = await reply(to: ControlRequest(.status))?.status else { return }
      ask(ControlRequest(status.screenLocked ? .unlock : .lock))
      observe(.hint(status.screenLocked ? "The screen is on." : "The screen is off."))
    }
  }

  package func connectCentral() -> Bool? { nil }
  package func writeFromCentral() -> Bool? { nil }

  private func ask(_ request: ControlRequest) {
    Task {
      if let error = await reply(to: request)?.error { observe(.hint(error)) }
    }
  }

  /// The phone's reply; nil if there is none, after an event with the reason.
  private func reply(to request: ControlRequest) async -> ControlReply? {
    do throws(ControlFailure) {
      guard let control else { throw .noResponse(name: starter.address.name) }
      return try await control.ask(request)
    } catch {
      if end.reason == nil { observe(.hint("\(error)")) }
      return nil
    }
  }
}
