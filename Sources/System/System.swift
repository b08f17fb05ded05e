package import AppLink
package import BlueZ
package import DBus
package import EventLoop
import GATT
package import Policy

/// The emulated phone: what is published and advertised belongs to it; apps ask for it over AppLink. `Policy` decides
/// what is on the air and who may run and answer; this obeys.
package actor System {
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  let report: @Sendable (SystemEvent) -> Void
  var peripheral: Peripheral?
  var apps: [AppID: AppRecord] = [:]
  /// Reads and writes that wait for an app.
  var waiting: [RequestID: Waiting] = [:]
  /// What apps are to be told, until they have been.
  var messages: [EventID: Message] = [:]
  private var lastEvent = 0
  /// The first is being handled.
  private var events: [Policy.Event] = []
  var policy: Policy
  private let start = ContinuousClock.now
  private var deadline: EventSource?
  var air = Air()
  /// The values of descriptors, which the system answers itself.
  var descriptors: [AttributeAddress: [UInt8]] = [:]
  private var allocator = HandleAllocator()
  private var lastApp = 0
  private var lastApplication = 0
  var radio: RadioState?
  var state = ManagerState.unknown
  /// Whether the user has reset Bluetooth, and it is not on again yet.
  var isResetting = false
  var drain: EventSource?
  /// Whether it was said that bluetoothd passes over intervals.
  var hasToldIntervals = false

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
    /// Whether the central has been refused meanwhile; the app still owes its answer.
    var isRefused = false
  }

  /// - Parameter report: called on the loop's thread, in order.
  package init(loop: EventLoop, rules: RuleSet = .newest, report: @escaping @Sendable (SystemEvent) -> Void) {
    self.loop = loop
    self.report = report
    policy = Policy(rules: rules)
  }

  /// Connects to the bus and follows bluetoothd from then on.
  package func start(bus: BusAddress, options: Peripheral.Options) async throws(DBusFailure) {
    let connection = try await DBusConnection.open(bus, on: loop)
    let peripheral = Peripheral(connection: connection, options: options) { [weak self] event in
      self?.assumeIsolated { $0.handle(event) }
    }
    self.peripheral = peripheral
    try await peripheral.start()
  }

  /// Unpublishes everything and closes the connection to the bus.
  package func shutDown() async {
    for app in apps.values { app.link.close() }
    await peripheral?.shutDown()
  }

  /// Serves an app until its link closes; what it published goes with it.
  package func attach(_ link: any AppLinkEnd<SystemMessage, AppMessage>, into mode: LaunchMode = .foreground) async {
    lastApp += 1
    let id = AppID(rawValue: lastApp)
    apps[id] = AppRecord(link: link)
    for await message in link.incoming { handle(message, from: id, launch: mode) }
    if apps[id] != nil { feed(.ended(id, .forceQuit)) }
    detach(id)
  }

  /// Forgets an app that has ended, and takes back what it published.
  func detach(_ id: AppID) {
    guard let app = apps[id] else { return }
    for service in app.serviceIDs { removeService(service, of: id) }
    apps[id] = nil
    waiting = waiting.filter { $0.value.app != id }
    report(.ended(app: app.identity?.bundleIdentifier ?? ""))
  }

  // MARK: The policy

  var now: Duration { start.duration(to: .now) }

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

  // MARK: What apps ask for

  private func handle(_ message: AppMessage, from id: AppID, launch mode: LaunchMode) {
    guard let app = apps[id] else { return }
    guard app.identity != nil else {
      guard case .hello(appLinkVersion, let identity) = message else { return app.link.close() }
      apps[id]?.identity = identity
      app.link.send(.welcome(version: appLinkVersion))
      feed(.launched(id, AppDescription(identity), into: mode))
      if state != .unknown { notify(id, .didUpdateState(state)) }
      return
    }
    switch message {
    case .hello: break
    case .addService(let service, let definition): addService(service, definition, of: id)
    case .removeService(let service): removeService(service, of: id)
    case .removeAllServices: for service in app.serviceIDs { removeService(service, of: id) }
    case .startAdvertising(let request): startAdvertising(request, of: id)
    case .stopAdvertising: feed(.stopAdvertising(id))
    case .updateValue(let characteristic, let value, _): update(characteristic, value, of: id)
    case .respond(let request, let error, let value): respond(to: request, error, value, from: id)
    }
  }

  private func addService(_ id: ServiceID, _ definition: ServiceDefinition, of app: AppID) {
    func refuse(_ reason: String) {
      report(.publishingFailed(service: definition.uuid, reason: reason))
      notify(app, .didAddService(id, error: reason))
    }
    guard let record = apps[app], let peripheral else { return }
    guard record.services[id] == nil else { return refuse("the app has a service with this identifier already") }
    if let refusal = definition.refusals().first { return refuse("\(refusal)") }
    let included = record.services.filter { definition.includedServices.contains($0.value.definition.uuid) }
    guard included.count == definition.includedServices.count else {
      return refuse("an included service has to be added before the one that includes it")
    }
    let handles: ServiceHandles
    do {
      handles = try allocator.allocate(for: definition)
    } catch { return refuse("\(error)") }
    // bluetoothd resolves included services within one application only.
    let merged = Set(included.values.map(\.application)).sorted()
    var members = record.services.filter { merged.contains($0.value.application) }
      .sorted { ($0.value.application, $0.value.place) < ($1.value.application, $1.value.place) }
    if merged.isEmpty { lastApplication += 1 }
    let number = merged.first ?? lastApplication
    members.append((id, AppRecord.Service(definition: definition, handles: handles, application: number, place: 0)))
    for (place, member) in members.enumerated() {
      var service = member.value
      service.application = number
      service.place = place
      apps[app]?.services[member.key] = service
    }
    for (place, descriptorPlace, descriptor) in definition.allDescriptors {
      let attribute = AttributeID(service: members.count - 1, characteristic: place, descriptor: descriptorPlace)
      descriptors[AttributeAddress(application: number, attribute: attribute)] = descriptor.value
    }
    let services = members.map { GATTApplication.Service(definition: $0.value.definition, handles: $0.value.handles) }
    peripheral.assumeIsolated { peripheral in
      for other in merged.dropFirst() { peripheral.unpublish(other) }
      peripheral.publish(number, services)
    }
  }

  func removeService(_ id: ServiceID, of app: AppID, isNews: Bool = true) {
    guard let services = apps[app]?.services, let service = services[id], let peripheral else { return }
    let rest = services.filter { $0.key != id && $0.value.application == service.application }
      .sorted { $0.value.place < $1.value.place }
    // What is subscribed ends first, while the service can still be named.
    peripheral.assumeIsolated { $0.forgetSubscribers(of: service.application) }
    apps[app]?.services[id] = nil
    descriptors = descriptors.filter { $0.key.application != service.application }
    for (place, member) in rest.enumerated() {
      apps[app]?.services[member.key]?.place = place
      for (characteristic, position, descriptor) in member.value.definition.allDescriptors {
        let attribute = AttributeID(service: place, characteristic: characteristic, descriptor: position)
        descriptors[AttributeAddress(application: service.application, attribute: attribute)] = descriptor.value
      }
    }
    let remaining = rest.map { GATTApplication.Service(definition: $0.value.definition, handles: $0.value.handles) }
    peripheral.assumeIsolated {
      remaining.isEmpty ? $0.unpublish(service.application) : $0.publish(service.application, remaining)
    }
    allocator.release(service.handles)
    if isNews { report(.unpublished(service: service.definition.uuid)) }
  }

  /// Forgets what all apps have published; they add it again when the radio is back (R14).
  func clearDatabase() {
    for (id, app) in apps {
      for service in app.serviceIDs { removeService(service, of: id, isNews: false) }
    }
  }
}

extension AppDescription {
  fileprivate init(_ identity: AppIdentity) {
    self.init(
      name: identity.name, hasBackgroundMode: identity.backgroundModes.contains("bluetooth-peripheral"),
      overrides: RuleOverrides(
        foregroundMilliseconds: identity.rules.foregroundInterval,
        backgroundMilliseconds: identity.rules.backgroundInterval, suspendedError: identity.rules.suspendedError,
        disablesCachedValues: identity.rules.disablesCachedValues))
  }
}

extension ServiceDefinition {
  /// Each with the place of its characteristic and its own.
  fileprivate var allDescriptors: [(characteristic: Int, place: Int, descriptor: DescriptorDefinition)] {
    characteristics.enumerated().flatMap { index, characteristic in
      characteristic.descriptors.enumerated().map { (index, $0.offset, $0.element) }
    }
  }
}
