import AppLink

/// The system's end of a link, with somebody who hears what is said to the app.
struct WatchedLink: AppLinkEnd {
  let base: InMemoryLink<SystemMessage, AppMessage>
  let hear: @Sendable (SystemMessage) -> Void

  var incoming: AsyncStream<AppMessage> { base.incoming }

  func send(_ message: SystemMessage) {
    hear(message)
    base.send(message)
  }

  func close() { base.close() }
}
