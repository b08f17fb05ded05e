import Control

/// What the user asks for in the terminal of `serve`.
extension AppsSession {
  func press(_ key: Key) {
    guard end == nil else { return }
    switch key {
    case .command(let command): for profile in profiles { ask(ControlRequest(command, app: profile.identifier)) }
    case .screen:
      Task {
        guard let status = try? await control?.ask(ControlRequest(.status)).status else { return }
        ask(ControlRequest(status.screenLocked ? .unlock : .lock))
      }
    case .quit: finish(.interrupted)
    // There is no central of ours.
    case .visit: break
    case .help: for line in Key.list(hasCentral: false) { printer.hint(line) }
    }
  }

  private func ask(_ request: ControlRequest) {
    Task {
      guard let error = try? await control?.ask(request).error else { return }
      printer.hint(error)
    }
  }
}
