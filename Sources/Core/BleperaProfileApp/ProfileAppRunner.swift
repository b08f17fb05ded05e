package import BleperaAppLink
package import BleperaBluetooth
package import BleperaLoop
package import BleperaProfile

/// A profile and the name of its file.
package struct NamedProfile: Equatable, Sendable {
  package let profile: Profile
  /// `heart-rate` for `profiles/heart-rate.plist`.
  package let name: String
  /// The path of the file, as the user gave it.
  package var file: String

  package init(profile: Profile, name: String, file: String = "") {
    self.profile = profile
    self.name = name
    self.file = file
  }

  package var identifier: String { profile.bundleIdentifier ?? name }
  /// The last part of the bundle identifier, or the file's name.
  package var shortName: String { identifier.split(separator: ".").last.map(String.init) ?? name }
}

/// Launches the apps of a phone one after the other, relaunches them, and reports when all of them serve or why not.
package actor ProfileAppRunner: LoopActor {
  package enum Event: Hashable, Sendable {
    /// Every app has published its services, and advertises as far as the rules allow. Reported once.
    case serving
    /// The radio is off or not there, and the apps wait for it.
    case waitingForRadio
    /// An app serves, for the first time or again.
    case appServing(number: Int)
    /// The link of an app has ended without a reason: the phone has ended. `reconnect` connects the app to the next
    /// phone.
    case linkLost(number: Int)
    /// The user has quit all apps; the runner has ended unless it stays after that.
    case quit
    /// The phone has terminated the last app for another cause than a fault of the app's.
    case terminated(app: String, TerminationCause)
    /// A whole sentence. The runner has ended.
    case failed(String)
    /// The radio's own reason; the machine may be examined for a better one. The runner has ended.
    case unexplained(String)
  }

  /// When the runner continues after its last app was removed, which may be launched again.
  package enum StayWithoutApps: Sendable {
    case never, afterQuit, always
  }

  package struct App: Sendable {
    package var profile: NamedProfile
    package var seed: UInt64
    /// How the phone can start the app as a process of its own; nil where the runner relaunches the app.
    package var process: LaunchDescription?
    /// How a later phone can start an app that the runner relaunches as long as it lives.
    package var laterProcess: LaunchDescription?

    package init(
      profile: NamedProfile, seed: UInt64, process: LaunchDescription? = nil, laterProcess: LaunchDescription? = nil
    ) {
      self.profile = profile
      self.seed = seed
      self.process = process
      self.laterProcess = laterProcess
    }
  }

  package typealias Link = any AppLinkEnd<AppMessage, PhoneMessage>
  /// Connects an app to the phone.
  package typealias Connect = @Sendable (LaunchMode) throws(ConnectionFailure) -> Link

  package struct ConnectionFailure: Error, Hashable {
    /// A whole sentence.
    package let reason: String

    package init(reason: String) { self.reason = reason }
  }

  private enum Phase {
    case launching
    case serving
    case ended
  }

  /// How long the radio may take until it is powered on.
  private static let radioTimeout = Duration.seconds(2)
  /// How long the radio may take where it has to be powered on first.
  private static let powerOnTimeout = Duration.seconds(5)
  /// How long an app may take until it serves, from its last service that was published.
  private static let servingTimeout = Duration.seconds(15)

  private nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  private let apps: [App]
  private let launch: LaunchMode
  private let powersOn: Bool
  private let waitsForRadio: Bool
  private let staysWithoutApps: StayWithoutApps
  private let connect: Connect
  private let report: @Sendable (Event) -> Void
  private var phase = Phase.launching
  private var isRadioOn = false
  private var timers: [any LoopTimer] = []
  private var launchLimit: (any LoopTimer)?
  /// The number of apps launched so far; the first launch of each app is in the order of the profiles.
  private var launched = 0
  private var processes: [Int: ProfileApp] = [:]
  /// The causes of terminations, by app number.
  private var causes: [Int: TerminationCause] = [:]
  private var removed: Set<Int> = []

  /// - Parameters:
  ///   - launch: the initial state of the apps.
  ///   - powersOn: whether the radio has to be powered on first.
  ///   - waitsForRadio: whether the runner waits for a radio that is off or not there, instead of ending.
  ///   - report: called on the loop's thread.
  package init(
    loop: any ActorLoop, apps: [App], launch: LaunchMode, powersOn: Bool = false, waitsForRadio: Bool = false,
    staysWithoutApps: StayWithoutApps = .never, connect: @escaping Connect,
    report: @escaping @Sendable (Event) -> Void
  ) {
    self.loop = loop
    self.apps = apps
    self.launch = launch
    self.powersOn = powersOn
    self.waitsForRadio = waitsForRadio
    self.staysWithoutApps = staysWithoutApps
    self.connect = connect
    self.report = report
  }

  package func start() {
    guard phase == .launching else { return }
    timers = [
      loop.schedule(after: powersOn ? Self.powerOnTimeout : Self.radioTimeout) { [weak self] in
        self?.assumeIsolated { this in
          guard this.phase == .launching, !this.isRadioOn else { return }
          if this.waitsForRadio { return this.report(.waitingForRadio) }
          this.end(.unexplained("the radio is not available"))
        }
      }
    ]
    limitLaunch()
    launchNext()
  }

  private func limitLaunch() {
    launchLimit = loop.schedule(after: Self.servingTimeout) { [weak self] in
      self?.assumeIsolated { this in
        guard this.phase == .launching, this.isRadioOn || !this.waitsForRadio else { return }
        this.end(.unexplained("the profiles are not on the air"))
      }
    }
  }

  /// Ends the runner without a report; running apps continue.
  package func stop() {
    phase = .ended
    timers = []
    launchLimit = nil
  }

  /// The apps that are launched and not removed.
  package var runningApps: [NamedProfile] {
    (0..<launched).filter { !removed.contains($0) }.map { apps[$0].profile }
  }

  // MARK: Launching

  /// Launches the next app once the previous app is on the air, since the order decides which app has room there.
  private func launchNext() {
    guard phase == .launching else { return }
    guard launched < apps.count else {
      phase = .serving
      timers = []
      launchLimit = nil
      return report(.serving)
    }
    launched += 1
    start(launched - 1, launch)
  }

  private func start(_ number: Int, _ mode: LaunchMode) {
    let app = apps[number]
    let link: Link
    do throws(ConnectionFailure) { link = try connect(mode) } catch { return end(.failed(error.reason)) }
    let process = ProfileApp(
      loop: loop, profile: app.profile.profile, name: app.profile.name, seed: app.seed,
      launch: app.process == nil ? nil : mode, process: app.process ?? app.laterProcess, link: link
    ) { [weak self] news in
      self?.assumeIsolated { $0.handle(news, of: number) }
    }
    processes[number] = process
    causes[number] = nil
    Task(executorPreference: loop.tasks) { await self.linkEnded(number, process.run()) }
  }

  /// Launches an app again; false where the runner has no such app.
  package func relaunch(_ identifier: String, _ mode: LaunchMode) -> Bool {
    guard let number = number(of: identifier) else { return false }
    // Each app is about to be launched.
    if phase == .launching { return true }
    removed.remove(number)
    start(number, mode)
    return true
  }

  /// Connects an app whose link was lost to the phone that has replaced the former one.
  package func reconnect(_ number: Int) {
    guard phase != .ended, let process = processes[number] else { return }
    do throws(ConnectionFailure) {
      let link = try connect(launch)
      Task(executorPreference: loop.tasks) { await self.linkEnded(number, process.run(on: link)) }
    } catch {
      end(.failed(error.reason))
    }
  }

  private func number(of identifier: String) -> Int? { apps.firstIndex { $0.profile.identifier == identifier } }

  // MARK: Events

  private func handle(_ news: ProfileApp.Event, of number: Int) {
    switch news {
    case .state(let state):
      if phase == .launching, waitsForRadio, state == .poweredOn, !isRadioOn { limitLaunch() }
      isRadioOn = state == .poweredOn
    case .serving:
      if phase != .ended { report(.appServing(number: number)) }
      if number == launched - 1 { launchNext() }
    case .published: if phase == .launching { limitLaunch() }
    case .refused(let service, let reason):
      if phase == .launching { end(.failed("service \(service) cannot be published: \(reason)")) }
    case .unsupported:
      if phase == .launching {
        end(.failed("the radio has no central role, which \(apps[number].profile.identifier) needs"))
      }
    case .notAdvertised(let reason):
      if phase == .launching { end(.unexplained("advertising failed: \(reason)")) }
    }
  }

  private func linkEnded(_ number: Int, _ reason: ProfileApp.End) {
    guard phase != .ended else { return }
    switch reason {
    case .lost: if apps[number].process != nil { report(.linkLost(number: number)) }
    case .refused(let reason):
      // An app that was refused is not on the phone; another process of the same name may be.
      removed.insert(number)
      end(.failed("\(reason)."))
    case .terminated(let cause):
      causes[number] = cause
      // The phone relaunches such an app as another process.
      if apps[number].process != nil { remove(number) }
    }
  }

  /// Records that the phone no longer has an app that this runner would relaunch.
  package func appRemoved(_ identifier: String, _ cause: TerminationCause?) {
    guard phase != .ended, let number = number(of: identifier), apps[number].process == nil else { return }
    causes[number] = cause ?? causes[number]
    remove(number)
  }

  private func remove(_ number: Int) {
    removed.insert(number)
    guard removed.count == launched, staysWithoutApps != .always || phase == .launching else { return }
    let faults = causes.filter { $0.value == .crash || $0.value == .exceededLimits }
    let terminated = causes.filter { $0.value != .forceQuit }
    guard let (number, cause) = (faults.isEmpty ? terminated : faults).max(by: { $0.key < $1.key }) else {
      return staysWithoutApps == .afterQuit && phase != .launching ? report(.quit) : end(.quit)
    }
    let app = apps[number].profile.identifier
    end(
      faults.isEmpty
        ? .terminated(app: app, cause) : .failed("the phone has terminated \(app): \(cause.text)"))
  }

  private func end(_ event: Event) {
    guard phase != .ended else { return }
    stop()
    report(event)
  }
}
