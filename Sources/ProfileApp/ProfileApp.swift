package import AppLink
package import EventLoop
package import Profile

/// Runs a `ProfileMachine` on a link to the system, with the loop's timers.
package actor ProfileApp {
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let link: any AppLinkEnd<AppMessage, SystemMessage>
  private var machine: ProfileMachine
  private var timers: [ProfileMachine.Deadline: EventSource] = [:]
  private let launch = ContinuousClock.now

  package init(
    loop: EventLoop, profile: Profile, name: String, seed: UInt64 = .random(in: 0...UInt64.max),
    link: any AppLinkEnd<AppMessage, SystemMessage>
  ) {
    self.loop = loop
    self.link = link
    machine = ProfileMachine(profile: profile, name: name, seed: seed)
  }

  /// Until the system closes the link.
  package func run() async {
    handle(.launched)
    for await message in link.incoming { handle(.received(message)) }
    timers = [:]
  }

  private var now: Duration { launch.duration(to: .now) }

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
