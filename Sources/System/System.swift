import AppLink
package import BlueZ
package import DBus
package import EventLoop
import FoundationEssentials
import GATT
package import Policy
package import Preservation

/// The emulated phone: what is published and advertised belongs to it; apps ask for it over AppLink. `Policy` decides
/// what is on the air and who may run and answer; this obeys.
package actor System {
  package nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// Hears every event, with the bundle identifier of the app that it is of; nil where it is the phone's.
  package typealias Observer = @Sendable (SystemEvent, String?) -> Void

  private let observer: Observer
  /// Starts apps that the system wants to run again; nil where it cannot.
  var launcher: (any AppLauncher)?
  let store: any PreservationStore
  /// What was saved last.
  var saved = PreservedState(apps: [])
  /// That what was kept could not be read, and where it is now.
  var damage: String?
  /// Why the last change could not be saved.
  var savingFailure: String?
  /// Former subscribers that bluetoothd knows nothing of.
  var awaiting = AwaitingSubscribers()
  /// How long one of them may stay connected without subscribing again; nil for ever.
  let staleLimit: Duration?
  var staleTimers: [CentralID: any LoopTimer] = [:]
  let intervalAdvice: String
  var peripheral: (any PhoneRadio)?
  var apps: [AppID: AppRecord] = [:]
  /// Reads and writes that wait for an app.
  var waiting: [RequestID: Waiting] = [:]
  /// What apps are to be told, until they have been.
  var messages: [EventID: Message] = [:]
  private var lastEvent = 0
  /// The first is being handled.
  private var events: [Policy.Event] = []
  var policy: Policy
  private let beginning: Duration
  private var deadline: (any LoopTimer)?
  var air = Air()
  /// The values of descriptors, which the system answers itself.
  var descriptors: [AttributeAddress: [UInt8]] = [:]
  var allocator = HandleAllocator()
  var lastApp = 0
  var lastSession = 0
  var lastApplication = 0
  package internal(set) var radio: RadioState?
  var state = ManagerState.unknown
  /// Whether the user has reset Bluetooth, and it is not on again yet.
  var isResetting = false
  var drain: (any LoopTimer)?
  /// Updates that are kept and not saved yet, of the app's link of that number.
  var unsaved: [(app: AppID, session: Int, characteristic: CharacteristicID)] = []
  var saving: (any LoopTimer)?
  /// Whether it was said that bluetoothd passes over intervals.
  var hasToldIntervals = false
  /// Whether the phone is off: what ends now is as it was.
  var isShutDown = false

  /// Something that an app is to be told.
  struct Message {
    let message: SystemMessage
    /// Of a request; nil for a notice.
    let request: RequestID?
  }

  struct Waiting {
    let app: AppID
    let event: EventID
    let request: AttributeRequest
    /// Nil for a read.
    let value: [UInt8]?
    /// When it came, as the system's `now` says it.
    let since: Duration
    /// Whether the central has been refused meanwhile; the app still owes its answer.
    var isRefused = false
  }

  /// What to do where bluetoothd passes over intervals, of a machine's own one.
  package static let intervalAdvice = "run it with -E (systemctl edit bluetooth) or update to 5.77"

  /// - Parameters:
  ///   - intervalAdvice: what to do where bluetoothd passes over intervals.
  ///   - store: where what apps have is kept for the system's own end.
  ///   - launcher: starts apps again.
  ///   - staleLimit: how long a former subscriber may stay connected without subscribing again.
  ///   - observer: called on the loop's thread, in order.
  package init(
    loop: any ActorLoop, rules: RuleSet = .newest, intervalAdvice: String = intervalAdvice,
    store: any PreservationStore = InMemoryPreservationStore(),
    launcher: (any AppLauncher)? = nil, staleLimit: Duration? = nil, observer: @escaping Observer
  ) {
    self.loop = loop
    beginning = loop.now
    self.intervalAdvice = intervalAdvice
    self.observer = observer
    self.store = store
    self.launcher = launcher
    self.staleLimit = staleLimit
    policy = Policy(rules: rules)
  }

  func report(_ event: SystemEvent, of app: AppID? = nil) {
    observer(event, app.flatMap { apps[$0]?.identity.bundleIdentifier })
  }

  /// Connects to the bus and follows bluetoothd from then on; what was preserved is published again.
  ///
  /// - Precondition: the loop is an `EventLoop`, as a bus needs one.
  package func start(bus: BusAddress, options: Peripheral.Options) async throws(DBusFailure) {
    guard let loop = loop as? EventLoop else { preconditionFailure("a bus needs a loop with a thread") }
    let connection = try await DBusConnection.open(bus, on: loop)
    try await start { Peripheral(connection: connection, options: options, report: $0) }
  }

  /// Serves on a radio of the loop's from then on; what was preserved is published again.
  ///
  /// - Parameter make: is given what the radio tells its events.
  package func start(
    on make: (@escaping @Sendable (PeripheralEvent) -> Void) -> any PhoneRadio
  ) async throws(DBusFailure) {
    let radio = make { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
    peripheral = radio
    restoreSaved()
    try await radio.start()
  }

  /// Takes everything off the air and closes the connection to the bus; what is preserved stays so.
  package func shutDown() async {
    isShutDown = true
    for app in apps.values {
      app.link?.send(.willTerminate(.shutDown))
      app.link?.close()
    }
    await peripheral?.shutDown()
  }

  // MARK: The policy

  var now: Duration { loop.now - beginning }

  /// The loop's date.
  var today: Date { Date(timeIntervalSince1970: loop.timeOfDay / .seconds(1)) }

  /// Tells the policy what happens, and does what it says. What happens meanwhile comes after it.
  func feed(_ event: Policy.Event) {
    events.append(event)
    guard events.count == 1 else { return }
    while let event = events.first {
      for action in policy.handle(event, at: now) { perform(action) }
      events.removeFirst()
    }
  }

  func setDeadline(at time: Duration?) {
    deadline = time.map { time in
      loop.schedule(after: max(.zero, time - now)) { [weak self] in self?.assumeIsolated { $0.feed(.deadline) } }
    }
  }

  func nextEvent() -> EventID {
    lastEvent += 1
    return EventID(rawValue: lastEvent)
  }

  /// Tells an app something that it need not answer: now where it runs, else when it runs again.
  func notify(_ app: AppID, _ message: SystemMessage, _ kind: NoticeKind = .callback) {
    let event = nextEvent()
    messages[event] = Message(message: message, request: nil)
    feed(.notice(app, event, kind))
  }
}
