import BleperaAppLink
import Testing

@Suite struct InMemoryAppLinkTests {
  private let link = makeInMemoryLink()

  /// All messages that have arrived at an end, which must be closed.
  private func all<Message: Sendable>(_ incoming: AsyncStream<Message>) async -> [Message] {
    await incoming.reduce(into: []) { $0.append($1) }
  }

  @Test func `messages arrive in the order in which they were sent`() async {
    for message in Samples.appMessages { link.app.send(message) }
    for message in Samples.systemMessages { link.system.send(message) }
    link.app.close()
    #expect(await all(link.system.incoming) == Samples.appMessages)
    #expect(await all(link.app.incoming) == Samples.systemMessages)
  }

  @Test(.timeLimit(.minutes(5))) func `a message wakes the end that waits for it`() async {
    let link = link
    async let first = link.system.incoming.first { _ in true }
    link.app.send(.didFinish)
    #expect(await first == .didFinish)
  }

  @Test(.timeLimit(.minutes(5)), arguments: [true, false])
  func `either side's closing ends both ends, also where they wait`(byApp: Bool) async {
    let link = link
    async let atApp = all(link.app.incoming)
    async let atSystem = all(link.system.incoming)
    if byApp { link.app.close() } else { link.system.close() }
    #expect(await atApp == [])
    #expect(await atSystem == [])
  }

  @Test(arguments: [true, false])
  func `what is sent after the closing does not arrive`(byApp: Bool) async {
    link.app.send(.didBecomeIdle)
    link.system.send(.welcome(version: 1))
    if byApp { link.app.close() } else { link.system.close() }
    link.app.send(.didFinish)
    link.system.send(.welcome(version: 2))
    link.app.close()
    #expect(await all(link.system.incoming) == [.didBecomeIdle])
    #expect(await all(link.app.incoming) == [.welcome(version: 1)])
  }

  @Test func `two links are apart`() async {
    let other = makeInMemoryLink()
    link.app.send(.didFinish)
    link.app.close()
    other.app.send(.didBecomeIdle)
    other.app.close()
    #expect(await all(other.system.incoming) == [.didBecomeIdle])
  }
}
