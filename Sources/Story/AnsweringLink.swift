import AppLink

/// The app's end of a link, with somebody who sends its answers.
struct AnsweringLink: AppLinkEnd {
  let base: InMemoryLink<AppMessage, SystemMessage>
  let answer: @Sendable (AppMessage) -> Void

  var incoming: AsyncStream<SystemMessage> { base.incoming }

  func send(_ message: AppMessage) {
    if case .respond = message { answer(message) } else { base.send(message) }
  }

  func close() { base.close() }
}
