package import AppLink
package import EventLoop
package import Profile

/// Runs a `ProfileMachine` on a link to the system, with the loop's timers.
package actor ProfileApp {
  package nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// How the link to the system has ended.
  package enum End: Hashable, Sendable {
    /// A sentence.
    case refused(String)
    case terminated(TerminationReason)
    /// Without a word: the system has gone.
    case lost
  }

  /// What becomes of publishing the profile.
  package enum News: Hashable, Sendable {
    /// Everything is published and advertised; told once for each link.
    case serving
    /// A sentence's middle: the service, and why.
    case refused(service: String, reason: String)
    /// Why it is not advertised.
    case notAdvertised(reason: String)
    case state(ManagerState)
  }

  /// Hears of it on the loop's thread.
  private let tell: @Sendable (News) -> Void
  private var isServing = false
  private var link: any AppLinkEnd<AppMessage, SystemMessage>
  private var machine: ProfileMachine
  private let beginning: Duration
  private var timers: [ProfileMachine.Deadline: any LoopTimer] = [:]

  package init(
    loop: any ActorLoop, profile: Profile, name: String, seed: UInt64 = .random(in: 0...UInt64.max),
    launch: LaunchIntent? = nil, process: LaunchDescription? = nil, link: any AppLinkEnd<AppMessage, SystemMessage>,
    tell: @escaping @Sendable (News) -> Void = { _ in }
  ) {
    self.loop = loop
    beginning = loop.now
    self.tell = tell
    self.link = link
    machine = ProfileMachine(profile: profile, name: name, seed: seed, launch: launch, process: process)
  }

  /// Until the system closes the link.
  @discardableResult
  package func run() async -> End {
    isServing = false
    handle(.launched)
    var end = End.lost
    for await message in link.incoming {
      switch message {
      case .refused(let reason): end = .refused(reason)
      case .willTerminate(let reason): end = .terminated(reason)
      // Where the system is gone the app will say to the next one where it was.
      case .didChangeState(let state): machine.launch = state == .foreground ? .foreground : .background
      default: break
      }
      handle(.received(message))
      report(message)
    }
    timers = [:]
    return end
  }

  /// Goes on with a system that has taken the place of the one that has gone.
  @discardableResult
  package func run(on link: any AppLinkEnd<AppMessage, SystemMessage>) async -> End {
    self.link = link
    return await run()
  }

  private func report(_ message: SystemMessage) {
    switch message {
    case .didUpdateState(let state): tell(.state(state))
    case .didAddService(let id, let reason?): tell(.refused(service: machine.uuid(of: id), reason: reason))
    case .didStartAdvertising(let reason?): tell(.notAdvertised(reason: reason))
    default: break
    }
    guard machine.isServing, !isServing else { return }
    isServing = true
    tell(.serving)
  }

  private var now: Duration { loop.now - beginning }

  private func handle(_ event: ProfileMachine.Event) {
    for action in machine.handle(event, at: now) {
      switch action {
      case .send(let message): link.send(message)
      case .unschedule(let deadline): timers[deadline] = nil
      case .schedule(let deadline, let time):
        timers[deadline] = loop.schedule(after: time - now) { [weak self] in
          self?.assumeIsolated { app in
            app.timers[deadline] = nil
            app.handle(.due(deadline))
          }
        }
      }
    }
  }
}
