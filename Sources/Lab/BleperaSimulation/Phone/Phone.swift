import BleperaAppLink
public import BleperaBluetooth
import BleperaLoop
import BleperaPhone
import BleperaPreservation
import BleperaRadio
import BleperaRules
import Synchronization

/// A phone on an air: the system and its installed apps.
public final class Phone: AirDevice, Sendable {
  /// How long an action on a phone may take.
  private static let actionTimeout = Duration.seconds(10)

  /// The name in traces and failures.
  public let name: String
  /// `00:AA:01:00:00:00`; identifies the phone to bonded centrals, and to all centrals if its address is public.
  public let identityAddress: String
  /// The identity resolving key, with which the phone's private addresses can be recognized; nil if its address is
  /// public. Bonded centrals have the key.
  public let irk: IdentityResolvingKey?
  let air: Air
  let system: EmulatedPhone
  private let installed: InstalledApps

  /// The address under which a phone advertises and accepts connections on the virtual radio.
  public enum AddressKind: Hashable, Sendable {
    /// A resolvable private address, as an iPhone's: another one every 15 minutes.
    case `private`
    /// The identity address, which does not change.
    case `public`
  }

  /// Creates a phone that is on, with Bluetooth on.
  ///
  /// - Parameters:
  ///   - ios: The iOS version to emulate: 10 to 18, 26 or 27.
  ///   - kind: The kind of the phone; one with Apple's N1 requires iOS 26 or 27, an iPhone 6s iOS 10 to 15.
  ///   - splitView: Whether several apps may be in the foreground, as on an iPad; launching one otherwise moves the
  ///     others to the background.
  ///   - deviceName: The Device Name, which centrals and peripherals read on the virtual radio: 1 to 248 bytes of UTF-8
  ///     without control characters; nil for `iPhone`, or `iPad` with Split View.
  ///   - wakeTime: How long an app that is written against Core Bluetooth runs in the background after the last event
  ///     that has woken it, while it has nothing to do; nil for what the rules say.
  ///   - phoneServices: Whether the phone publishes an iPhone's own services too: Device Information, Continuity,
  ///     Nearby, Battery and Current Time, and once a central is paired Apple Notification Center and Apple Media.
  ///   - backgroundAppleItems: What the phone itself advertises while no app in the foreground does, with or without an
  ///     app in the background, to the byte under the phone's first address; empty for nothing, nil for what is usual
  ///     in that version of iOS, with a tag that the name and the air's seed decide.
  ///   - memoryPressure: How often an hour, on average, a suspended app is terminated by chance; the air's seed decides
  ///     when and which.
  ///   - isAuthorized: Whether the user lets apps use Bluetooth; otherwise their state is `unauthorized`.
  ///   - supportsBluetooth: Whether the device has Bluetooth Low Energy; otherwise the state is `unsupported`.
  ///   - address: The kind of the phone's address on the virtual radio; a real adapter has its own.
  ///   - comparesNumbers: Whether a device that has a display pairs after the user has answered with `pair`, and no
  ///     other device pairs; on the virtual radio only.
  ///
  /// - Precondition: A rule set exists for that iOS version and phones of that kind run it, the rate is from 0 to 3600,
  ///   and the name is a Device Name.
  public convenience init(
    on air: Air, named name: String = "phone", ios: Int = 26, kind: PhoneKind = .earlier, splitView: Bool = false,
    deviceName: String? = nil, wakeTime: Duration? = nil, phoneServices: Bool = false,
    backgroundAppleItems: [AppleItem]? = nil, memoryPressure: Double = 0, isAuthorized: Bool = true,
    supportsBluetooth: Bool = true, address: AddressKind = .private, comparesNumbers: Bool = false
  ) {
    guard let version = IOSVersion(rawValue: ios) else { preconditionFailure("there are no rules of iOS \(ios)") }
    precondition((0...MemoryPressure.maximumRate).contains(memoryPressure), "the rate is from 0 to 3600 an hour")
    precondition(kind.runs(version), "phones of the kind \(kind.rawValue) run \(kind.versions)")
    precondition(deviceName.map { DeviceName.fault(of: $0) == nil } ?? true, "the name has \(DeviceName.form)")
    var settings = PhoneSettings(ios: version, kind: kind, splitView: splitView)
    if let wakeTime { settings.rules = settings.rules.with(wakeTime: wakeTime) }
    settings.chosenName = deviceName
    settings.phoneServices = phoneServices
    settings.memoryPressure = memoryPressure
    settings.unusableState = supportsBluetooth ? isAuthorized ? nil : .unauthorized : .unsupported
    settings.usesPublicAddress = address == .public
    if comparesNumbers { settings.pairing = .compare }
    self.init(on: air, named: name, settings, backgroundAppleItems: backgroundAppleItems)
  }

  /// - Parameter backgroundAppleItems: Nil for what is usual.
  init(on air: Air, named name: String, _ settings: PhoneSettings, backgroundAppleItems: [AppleItem]? = nil) {
    var settings = settings
    settings.rules = settings.rules.with(ownItems: [.nearbyInfo])
    if let backgroundAppleItems {
      settings.rules = settings.rules.with(backgroundAppleItems: backgroundAppleItems)
    } else {
      // A name belongs to one phone of an air.
      let number = name.utf8.reduce(air.seed) { SplitMix64.number(at: UInt64($1), seed: $0) }
      settings.rules = settings.rules.with(nearbyInfoTag: number)
    }
    self.air = air
    self.name = name
    let installed = InstalledApps()
    self.installed = installed
    air.endings.withLock { $0.append { [weak installed] in installed?.end() } }
    let poweredOn = Inbox<Bool>()
    let system = EmulatedPhone(
      loop: air.loop, settings: settings, seed: air.seed, store: StoryStore(), launcher: installed
    ) { [weak air] event, app in
      if case .radio(let state) = event, state.isOn { poweredOn.append(true) }
      air?.note(event, on: name, app: app)
    }
    self.system = system
    let place: PhonePlace
    do throws(StoryFailure) {
      place = try air.backend.addPhone(named: name, settings)
    } catch {
      (identityAddress, irk) = ("", nil)
      air.fail(error)
      return
    }
    (identityAddress, irk) = (place.address, place.key)
    do throws(StoryFailure) { try Self.start(system, at: place, on: air, until: poweredOn) } catch { air.fail(error) }
  }

  private static func start(
    _ system: EmulatedPhone, at place: PhonePlace, on air: Air, until poweredOn: Inbox<Bool>
  ) throws(StoryFailure) {
    let result = air.backend.wait(within: actionTimeout) {
      try await place.start(system)
      await poweredOn.wait()
    }
    switch result {
    case .success: break
    case .failure(let error): throw .radio("\(error)")
    case nil: throw .radio("the phone's adapter is not on after \(actionTimeout)")
    }
  }

  /// The address under which the phone advertises now: `5A:01:02:03:04:05`.
  public var address: String { air.backend.virtual?.currentAddress(of: identityAddress) ?? identityAddress }

  // MARK: Apps

  /// Installs an app and launches it in the foreground. Returns when the app has published its services and started
  /// advertising.
  @discardableResult
  public func launch(_ definition: AppDefinition) -> App {
    let app = install(definition)
    launch(app)
    return app
  }

  /// Installs an app that is written against Core Bluetooth, and launches it in the foreground. Returns when the app
  /// advertises, or after one second of the story.
  ///
  /// The app runs in this process, on virtual time on a virtual radio: no time passes while a callback of a manager
  /// runs, nor while its queue does what the callback has dispatched. What the app does on other queues, in tasks or by
  /// timers of its own happens in real time.
  ///
  /// - Parameters:
  ///   - bundleIdentifier: Identifies the app on the phone.
  ///   - backgroundModes: `UIBackgroundModes` of its Info.plist.
  ///   - program: Creates the app's objects, on the main queue, each time the app is launched. What it returns is kept
  ///     until the app ends.
  @discardableResult
  public func launch<Root>(
    _ bundleIdentifier: String = "org.example.app",
    backgroundModes: [String] = [AppIdentity.peripheralBackgroundMode, AppIdentity.centralBackgroundMode],
    _ program: @escaping @MainActor @Sendable () -> Root
  ) -> App {
    launch(AppDefinition(bundleIdentifier, backgroundModes: backgroundModes) { program() })
  }

  /// Installs an app without launching it.
  func install(_ definition: AppDefinition) -> App {
    let app = App(definition, on: self)
    installed.add(app)
    return app
  }

  /// Simulates a tap on the app's icon: a running app moves to the foreground, any other app is launched.
  public func launch(_ app: App) {
    if app.isRunning { return perform(.foreground, app) }
    // An action scheduled with `Air.after` cannot wait for time to pass.
    guard !air.loop.isCurrent else { return app.start(into: .foreground) }
    let result = air.backend.wait(within: Self.actionTimeout) { [system] in
      app.start(into: .foreground)
      // Without a powered radio, the app does not become ready.
      guard await system.isUsable else { return }
      await app.waitUntilReady()
      await system.settle()
    }
    if result == nil { air.fail(.timedOut(Self.actionTimeout)) }
  }

  /// Moves an app to the foreground, as the user does by opening it; nil for all apps.
  public func moveToForeground(_ app: App? = nil) { perform(.foreground, app) }
  /// Moves an app to the background; nil for all apps.
  public func moveToBackground(_ app: App? = nil) { perform(.background, app) }
  /// Suspends an app at once; nil for all apps.
  public func suspend(_ app: App? = nil) { perform(.suspend, app) }

  /// Terminates running apps.
  ///
  /// - Parameter cause: `.memoryPressure`, `.forceQuit`, `.crash` (of one app) or `.reboot`; the system decides about
  ///   the others itself.
  public func terminate(_ cause: TerminationCause, _ app: App? = nil) {
    switch cause {
    case .memoryPressure: perform(.terminate, app)
    case .forceQuit: perform(.quit, app)
    case .reboot: perform(.reboot)
    case .crash: for app in app.map({ [$0] }) ?? installed.all { app.crash() }
    case .exceededLimits, .shutDown: air.fail(.phone("a story cannot terminate apps with the cause \(cause)"))
    }
  }

  /// Simulates a swipe that force-quits apps.
  public func forceQuit(_ app: App? = nil) { perform(.quit, app) }

  // MARK: The phone

  /// Locks the screen, which turns it off.
  public func lock() { perform(.lock) }
  /// Unlocks the screen; after a reboot this is the first unlock, before which nothing is on the air.
  public func unlock() { perform(.unlock) }
  /// Switches Bluetooth on or off, as the Settings app does.
  public func switchBluetooth(on isOn: Bool) { perform(isOn ? .bluetoothOn : .bluetoothOff) }
  /// Resets Bluetooth: apps must publish and advertise again (R14).
  public func resetBluetooth() { perform(.bluetoothReset) }
  /// Gives the phone a defect of those that `blepera defects` lists, or takes it away. A real adapter cannot have all.
  public func setDefect(_ defect: PhoneDefect, isOn: Bool = true) {
    perform(ControlRequest(.defect, defect: defect, isOn: isOn))
  }
  /// Reboots the phone: apps are terminated and connections end.
  public func reboot() { perform(.reboot) }

  /// The identity addresses of the centrals and peripherals that share keys with the phone.
  public var bonds: [String] {
    air.backend.perform { [system] in system.assumeIsolated { $0.status() }.bonds?.map(\.address) ?? [] }
  }
  /// Forgets a device, as the user does in Settings, by its identity address; nil for all, as a reset of the network
  /// settings does. A device that is not bonded fails the story.
  public func forgetBonds(with address: String? = nil) { perform(ControlRequest(.forgetBonds, device: address)) }

  /// Answers a pairing that waits for the phone's user: compares a number, or types a passkey. The address is needed
  /// where several wait. Without such a pairing the story fails.
  public func pair(_ response: PairingResponse, with address: String? = nil) {
    perform(ControlRequest(.pair, device: address, response: response))
  }

  /// Performs an action of the user or the system; a refusal fails the story.
  func perform(_ command: ControlRequest.Command, _ app: App? = nil) {
    perform(ControlRequest(command, app: app?.bundleIdentifier))
  }

  func perform(_ request: ControlRequest) {
    let perform = { @Sendable [system, air] in
      if let error = await system.perform(request).error { air.fail(.phone("\(error)")) }
      await system.settle()
    }
    // An action scheduled with `Air.after` cannot wait for time to pass.
    guard !air.loop.isCurrent else { return _ = Task(executorPreference: air.loop.tasks, operation: perform) }
    if air.backend.wait(within: Self.actionTimeout, perform) == nil { air.fail(.timedOut(Self.actionTimeout)) }
  }
}

/// The apps of a phone, which the system relaunches.
private final class InstalledApps: AppLauncher {
  private let apps = Mutex<[String: App]>([:])

  func add(_ app: App) { apps.withLock { $0[app.bundleIdentifier] = app } }

  /// Ends all apps, and forgets them.
  func end() {
    for app in all { app.vanish() }
    apps.withLock { $0 = [:] }
  }

  /// Sorted by identifier.
  var all: [App] { apps.withLock { $0.sorted { $0.key < $1.key }.map(\.value) } }

  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, byUser: Bool, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> Int32? {
    guard let installed = apps.withLock({ $0[app.bundleIdentifier] }) else {
      throw LaunchFailure(reason: "the app is not installed")
    }
    installed.start(into: byUser ? .foreground : .background, ended: ended)
    return nil
  }

  func end(_ process: Int32) {}
}

/// The preserved state of a story's phone, kept in memory.
private final class StoryStore: PreservationStore {
  private let state = Mutex(PreservedState())

  func load() throws(PreservationFailure) -> LoadedState { LoadedState(state: state.withLock { $0 }) }

  func save(_ state: PreservedState) throws(PreservationFailure) { self.state.withLock { $0 = state } }
}
