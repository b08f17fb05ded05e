package import BleperaAppLink
package import BleperaBluetooth
package import BleperaLoop
package import BleperaProfile

/// The process of a profile's app: runs a `ProfileMachine` on a link to the phone, with the loop's timers.
package actor ProfileApp: LoopActor {
  package nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  /// How the link to the phone ended.
  package enum End: Hashable, Sendable {
    /// The phone refused the app; with the reason as a sentence.
    case refused(String)
    case terminated(TerminationCause)
    /// The phone closed the link without a message.
    case lost
  }

  /// The progress of publishing the profile.
  package enum Event: Hashable, Sendable {
    /// Everything is published and advertised; reported once for each link.
    case serving
    /// A service is published.
    case published
    /// A service cannot be published.
    case refused(service: String, reason: String)
    /// Advertising failed.
    case notAdvertised(reason: String)
    case state(ManagerState)
    /// The radio has no central role, and the app no other one.
    case unsupported
  }

  /// Called on the loop's thread.
  private let report: @Sendable (Event) -> Void
  private var isServing = false
  /// Whether the app has run since its link was made.
  private var hasRun = false
  /// Why the link will end, as far as the phone has said.
  private var end = End.lost
  private var link: any AppLinkEnd<AppMessage, PhoneMessage>
  private var machine: ProfileMachine
  private let launchTime: Duration
  private var timers: [ProfileMachine.Deadline: any LoopTimer] = [:]

  package init(
    loop: any ActorLoop, profile: Profile, name: String, seed: UInt64 = .random(in: 0...UInt64.max),
    launch: LaunchMode? = nil, process: LaunchDescription? = nil, link: any AppLinkEnd<AppMessage, PhoneMessage>,
    report: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.loop = loop
    launchTime = loop.now
    self.report = report
    self.link = link
    machine = ProfileMachine(profile: profile, name: name, seed: seed, launch: launch, process: process)
  }

  /// Returns when the phone closes the link.
  @discardableResult
  package func run() async -> End {
    (isServing, hasRun) = (false, false)
    end = .lost
    handle(.launched)
    await withCheckedContinuation { ended in
      link.receive(on: loop) { [self] message in
        guard let message else { return ended.resume() }
        assumeIsolated { $0.receive(message) }
      }
    }
    timers = [:]
    return end
  }

  private func receive(_ message: PhoneMessage) {
    switch message {
    case .refused(let reason): end = .refused(reason)
    case .willTerminate(let reason): end = .terminated(reason)
    // A phone that replaces this one receives the app's state.
    case .didChangeState(let state):
      machine.launch = state == .foreground ? .foreground : .background
      hasRun = hasRun || state != .suspended
    case .peripheral(_, .didOpenL2CAPChannel): echo()
    default: break
    }
    handle(.received(message))
    reportProgress(after: message)
  }

  /// Continues with a phone that replaces a lost one.
  @discardableResult
  package func run(on link: any AppLinkEnd<AppMessage, PhoneMessage>) async -> End {
    self.link = link
    return await run()
  }

  /// Sends back what comes over the channel that was opened. Data flows while the phone lets it, which is not while the
  /// app is suspended.
  private func echo() {
    guard let stream = (link as? any StreamCarrier)?.takeStream() else { return }
    StreamPump(loop: loop, echoing: stream).assumeIsolated { $0.start() }
  }

  private func reportProgress(after message: PhoneMessage) {
    switch message {
    case .central(_, .didUpdateState) where machine.isUnsupported: report(.unsupported)
    case .peripheral(_, .didUpdateState(let state)): report(.state(state))
    case .central(_, .didUpdateState(let state)) where machine.manager == nil: report(.state(state))
    case .peripheral(_, .didAddService(let id, let reason?)):
      report(.refused(service: machine.uuid(of: id), reason: reason))
    case .peripheral(_, .didAddService(_, nil)): report(.published)
    case .peripheral(_, .didStartAdvertising(let reason?, _)): report(.notAdvertised(reason: reason))
    default: break
    }
    // A process that has outlived the phone may be suspended before it creates its managers: the phone has them.
    let isKept = if case .didChangeState(.suspended) = message { !hasRun } else { false }
    guard !isServing, machine.isServing || isKept else { return }
    isServing = true
    report(.serving)
  }

  private var now: Duration { loop.now - launchTime }

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
