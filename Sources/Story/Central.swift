import EventLoop
import GATT
import Policy
import Synchronization

/// A central on an air.
public final class Central: Sendable {
  /// What a central is.
  public enum Kind: Hashable, Sendable {
    /// A gateway, say: it hears all that is on the air, as it is.
    case any
    /// An app with a central manager on an iPhone, which hears what iOS tells it (rule R16): a bit of the overflow area
    /// where it asked for a UUID of that bit, and in the background what it asked for alone. The rules are those of
    /// iOS 11, 13, 14, 18 or 26.
    case iPhoneApp(iOS: Int = 26)
  }

  /// What has become of a connection.
  enum News: Hashable {
    case services(String)
    case disconnected(String)
  }

  struct State {
    /// The phone that it was last connected to, or is to be.
    var phone: String?
    /// An iPhone's app, and the system below it; nil for any other central.
    var ios: IOSCentral?
    /// Whether an iPhone's app scans because the story says so.
    var isAsked = false
    /// What has been heard since the scan began.
    var discovered: [Discovered] = []
  }

  public let name: String
  /// `00:AA:01:00:00:01`; apps know the central by it.
  public let address: String
  let air: Air
  let radio: (any CentralRadio)?
  let state: Mutex<State>
  let seen = Inbox<Discovered>()
  let news = Inbox<News>()
  let received = Inbox<(phone: String, id: FoundAttribute.ID, value: [UInt8])>()

  /// - Parameter mtu: the ATT_MTU that it asks for, in bytes; what it writes that does not fit is a long write. A real
  ///   adapter's is 517.
  ///
  /// - Precondition: there is a rule set for the iOS of an iPhone's app.
  public init(on air: Air, named name: String = "central", as kind: Kind = .any, mtu: Int = 517) {
    self.air = air
    self.name = name
    var start = State()
    if case .iPhoneApp(let ios) = kind {
      guard let version = IOSVersion(rawValue: ios) else { preconditionFailure("there are no rules of iOS \(ios)") }
      start.ios = IOSCentral(RuleSet(version), leavesOut: air.backend.tellsEverything)
    }
    state = Mutex(start)
    let events = Mutex<(@Sendable (CentralEvent) -> Void)?>(nil)
    do throws(StoryFailure) {
      let place = try air.backend.addCentral(named: name, mtu: mtu) { event in events.withLock { $0 }?(event) }
      (address, radio) = (place.address, place.radio)
    } catch {
      (address, radio) = ("", nil)
      air.fail(error)
    }
    events.withLock { $0 = { [weak self] event in self?.hear(event) } }
    air.centrals.withLock { $0[address] = self }
  }

  /// Does something with the radio, on the loop.
  func withRadio<Value: Sendable>(
    _ body: @escaping @Sendable (isolated any CentralRadio) -> Value, otherwise other: Value
  ) -> Value {
    guard let radio else { return other }
    return air.backend.perform { radio.assumeIsolated { body($0) } }
  }

  // MARK: What the radio tells, on the loop

  private func hear(_ event: CentralEvent) {
    switch event {
    case .heard(let phone, let heard):
      if state.withLock({ $0.ios == nil }) {
        seen.put(Discovered(phone, heard.advertisement.structures + (heard.scanResponse?.structures ?? [])))
      } else {
        feed(.heard(PeripheralID(rawValue: phone), heard))
      }
    case .connected(let phone):
      air.note(name, "connected to \(phone)")
      received.empty()
      feed(.connected(PeripheralID(rawValue: phone)))
    case .disconnected(let phone):
      air.note(name, "disconnected from \(phone)")
      feed(.disconnected(PeripheralID(rawValue: phone)))
      news.put(.disconnected(phone))
    case .services(let phone): news.put(.services(phone))
    case .value(let phone, let id, let value):
      let found = radio?.assumeIsolated { $0.characteristics(of: phone).first { $0.id == id } }
      air.note(name, "receives \(found.map { "\($0.uuid)" } ?? id.rawValue)  \(Hex.string(value, separator: " "))")
      received.put((phone, id, value))
    }
  }

  /// Tells an iPhone's system what happens, and does what it says; without effect on any other central.
  func feed(_ event: IOSCentral.Event) {
    let actions = state.withLock { $0.ios?.handle(event, at: air.now) } ?? []
    for action in actions {
      switch action {
      case .listen(let listening): radio?.assumeIsolated { $0.scan(listening != nil) }
      case .discovered(let phone, let discovery):
        let discovered = Discovered(phone.rawValue, discovery)
        state.withLock { $0.discovered.append(discovered) }
        seen.put(discovered)
      case .passedOver: break
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
