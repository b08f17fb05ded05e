import BleperaBluetooth
import BleperaLoop
import BleperaRules
import Synchronization

/// A central on an air.
public final class Central: Sendable {
  /// The kind of a central.
  public enum Kind: Hashable, Sendable {
    /// A central that receives everything on the air, such as a gateway.
    case any
    /// An app with a central manager on an iPhone, which discovers what iOS reports to it (rule R16): a bit of the
    /// overflow area only if it scans for a UUID of that bit, and in the background only what it scans for. The iOS
    /// version is 10 to 18, 26 or 27.
    case iPhoneApp(iOS: Int = 26)
  }

  /// A change of a connection, with the phone's address.
  enum LinkEvent: Hashable {
    case services(String)
    case disconnected(String)
  }

  struct State {
    /// The address of the phone of the last connection or the current attempt.
    var phone: String?
    /// The device to which an iPhone's app waits to connect, whatever its address is.
    var target: (any AirDevice)?
    /// An iPhone's app and its system; nil for any other central.
    var ios: IOSCentral?
    /// Whether an iPhone's app scans because of `scan(for:)`.
    var isScanning = false
    var request: ScanRequest?
    /// The discoveries of that scan.
    var discovered: [DiscoveredPeripheral] = []
  }

  /// The name in traces and failures.
  public let name: String
  /// `00:AA:01:00:00:01`; identifies the central to apps.
  public let address: String
  let air: Air
  let radio: (any CentralRadio)?
  let state: Mutex<State>
  let discoveries = Inbox<DiscoveredPeripheral>()
  let linkEvents = Inbox<LinkEvent>()
  /// Notified values with the phone's address and `DiscoveredCharacteristic.id`.
  let received = Inbox<(phone: String, id: String, value: [UInt8])>()

  /// - Parameter mtu: The requested ATT_MTU, 23 to 517 bytes; longer values are written with long writes. Nil for 185,
  ///   which an iPhone commonly exchanges; a real adapter has bluetoothd's own and no other.
  ///
  /// - Precondition: A rule set exists for the iOS version of an iPhone's app.
  public convenience init(on air: Air, named name: String = "central", as kind: Kind = .any, mtu: Int? = nil) {
    self.init(on: air, named: name, as: kind, mtu: mtu, like: nil)
  }

  /// - Parameter phone: What is measured of the iPhone of an app.
  init(on air: Air, named name: String, as kind: Kind, mtu: Int?, like phone: MeasuredPhone?) {
    self.air = air
    self.name = name
    var start = State()
    if case .iPhoneApp(let ios) = kind {
      guard let version = IOSVersion(rawValue: ios) else { preconditionFailure("there are no rules of iOS \(ios)") }
      // A virtual radio receives all the time; a real radio uses the scan windows.
      start.ios = IOSCentral(RuleSet(version).with(phone), ignoresBetweenWindows: air.backend.virtual != nil)
    }
    state = Mutex(start)
    let events = Mutex(Handler())
    do throws(StoryFailure) {
      if let mtu, !ATTMTU.range.contains(mtu) {
        throw .central("the ATT_MTU of \(name) is \(mtu); it must be from 23 to 517")
      }
      let place = try air.backend.addCentral(named: name, as: kind, mtu: mtu) { event in
        events.withLock { $0 }.body?(event)
      }
      (address, radio) = (place.address, place.radio)
    } catch {
      (address, radio) = ("", nil)
      air.fail(error)
    }
    events.withLock { $0.body = { [weak self] event in self?.receive(event) } }
    air.centrals.withLock { $0[address] = self }
  }

  /// Uses the radio, on the loop.
  func withRadio<Value: Sendable>(
    _ body: @escaping @Sendable (isolated any CentralRadio) -> Value, otherwise other: Value
  ) -> Value {
    guard let radio else { return other }
    return air.backend.perform { radio.assumeIsolated { body($0) } }
  }

  // MARK: Events of the radio, on the loop

  private func receive(_ event: CentralEvent) {
    switch event {
    case .discovered(let phone, let received):
      if state.withLock({ $0.ios == nil }) {
        discoveries.append(
          DiscoveredPeripheral(phone, received.advertisement.structures + (received.scanResponse?.structures ?? [])))
      } else {
        let target = state.withLock { $0.target }
        let id = target.flatMap { $0.hasUsed(phone) ? $0.identityAddress : nil } ?? phone
        feed(.received(PeripheralID(rawValue: id), received), from: phone)
      }
    case .connected(let phone):
      state.withLock { $0.target = nil }
      air.note(name, "connected to \(phone)")
      received.removeAll()
      feed(.connected(PeripheralID(rawValue: phone)))
    case .disconnected(let phone):
      air.note(name, "disconnected from \(phone)")
      feed(.disconnected(PeripheralID(rawValue: phone)))
      linkEvents.append(.disconnected(phone))
    case .services(let phone): linkEvents.append(.services(phone))
    case .value(let phone, let id, let value):
      let found = radio?.assumeIsolated { $0.characteristics(of: phone).first { $0.id == id } }
      air.note(name, "receives \(found.map { "\($0.uuid)" } ?? id)  \(Hex.string(value, separator: " "))")
      received.append((phone, id, value))
    }
  }

  /// Passes an event to an iPhone's system, and performs its actions; no effect on any other central.
  ///
  /// - Parameter address: The address of a discovered phone; nil for other events.
  func feed(_ event: IOSCentral.Event, from address: String? = nil) {
    let actions = state.withLock { $0.ios?.handle(event, at: air.now) } ?? []
    for action in actions {
      switch action {
      case .listen(let listening): radio?.assumeIsolated { $0.scan(listening != nil) }
      case .discovered(let phone, let discovery):
        let discovered = DiscoveredPeripheral(address ?? phone.rawValue, discovery)
        state.withLock { $0.discovered.append(discovered) }
        discoveries.append(discovered)
      case .ignored: break
      case .connect(let phone): radio?.assumeIsolated { $0.connect(to: phone.rawValue) }
      case .disconnect(let phone):
        guard let radio else { continue }
        Task(executorPreference: air.loop.tasks) { await radio.disconnect(from: phone.rawValue) }
      }
    }
  }
}

extension Central: Hashable {
  public static func == (left: Central, right: Central) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Central: CustomStringConvertible {
  public var description: String { name }
}

/// A closure in a structure: a mutex of a closure adds a thunk to it each time that it is read.
private struct Handler: Sendable {
  var body: (@Sendable (CentralEvent) -> Void)?
}
