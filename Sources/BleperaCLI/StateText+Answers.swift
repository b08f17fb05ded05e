import Policy

/// Who answers a central.
extension StateText {
  var answers: TextSection {
    let groups = state.answers.flatMap { app in
      let name = state.apps.count > 1 ? [terminal.styled(app.app, .cyan)] : []
      return [
        name + row("the app", life(app)) + rows(app.answers),
        app.laterAnswers.map { row("then", "is suspended") + rows($0) } ?? [],
      ]
    }
    return TextSection(title: "Who answers, \(state.state.rawValue)", groups: groups)
  }

  private func row(_ label: String, _ text: String) -> [String] {
    let start = 15
    return TextLayout.wrapped(text, to: width - start).enumerated().map { index, line in
      TextLayout.padded(index == 0 ? label : "", to: start) + line
    }
  }

  private func rows(_ answers: [CentralAnswer]) -> [String] {
    answers.flatMap { row(label($0.request), text($0)) }
  }

  private func life(_ app: AppAnswers) -> String {
    guard app.isRunning else { return "is suspended" }
    return app.timeLeft.map { "runs for \(Self.seconds($0)) more" } ?? "runs"
  }

  private func label(_ request: CentralRequest) -> String {
    switch request {
    case .readCached: "cached values"
    case .read: "reads"
    case .write: "writes"
    case .subscribe: "subscriptions"
    }
  }

  private func text(_ answer: CentralAnswer) -> String {
    let text =
      switch answer.outcome {
      case .app: "the app"
      case .woken(let time): "the app, woken for \(Self.seconds(time))"
      case .system: "the system"
      case .error(let error): "refused: \(error)"
      case .queued: "wait for the foreground"
      }
    return answer.rule.map { "\(text) (\($0))" } ?? text
  }

  private static func seconds(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    return Int(exactly: seconds).map { "\($0) s" } ?? "\(seconds) s"
  }
}
