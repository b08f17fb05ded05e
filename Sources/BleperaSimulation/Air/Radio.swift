package import BleperaAir
package import BleperaBluetooth
package import BleperaLoop
package import BleperaPhone
package import BleperaRadio
import BleperaRules

/// The kind of radio of a story's phones and centrals: `.virtual`, or those that `BleperaTestingBlueZ` adds.
public struct Radio: Sendable {
  /// Equal for equal radios, such as `virtual` and `bluez:hci0,hci1`.
  private let name: String
  package let isVirtual: Bool
  package let makeBackend: @Sendable (_ seed: UInt64, _ conditions: AirConditions) -> any Backend

  package init(
    _ name: String, isVirtual: Bool = false,
    makeBackend: @escaping @Sendable (_ seed: UInt64, _ conditions: AirConditions) -> any Backend
  ) {
    self.name = name
    self.isVirtual = isVirtual
    self.makeBackend = makeBackend
  }

  /// An air within the process, on a virtual clock.
  public static let virtual = Radio("virtual", isVirtual: true) { VirtualBackend(seed: $0, conditions: $1) }

  /// The same, whose clock is no faster than real time, for hosts outside the process.
  package static let paced = Radio("virtual, in real time", isVirtual: true) {
    VirtualBackend(seed: $0, conditions: $1, isPaced: true)
  }
}

extension Radio: Hashable, CustomStringConvertible {
  public static func == (left: Radio, right: Radio) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  public var description: String { name }
}

/// The implementation of an air: a clock, and radios for phones and centrals.
package protocol Backend: Sendable {
  var loop: any ActorLoop { get }

  /// This backend if virtual, which supports faults; nil for real adapters.
  var virtual: VirtualBackend? { get }

  /// Lets time pass; everything that becomes due happens at its own time.
  func advance(by duration: Duration) async

  /// Runs `body` on the loop, and returns when `body` has run; no time passes on a virtual clock.
  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value

  /// Runs `body` on the loop until `body` has finished; nil if cancelled at the time limit. Blocks the thread.
  func wait<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error>?

  /// Like `wait`, without blocking the thread.
  func finish<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>?

  /// Adds a radio for a phone.
  ///
  /// - Parameters:
  ///   - timing: That of a virtual radio.
  ///   - pairing: How the phone responds to a pairing request.
  func addPhone(
    named name: String, timing: PhoneTiming, pairing: PairingMode
  ) throws(StoryFailure) -> PhonePlace

  /// Adds a radio for a central, which reports events on the loop.
  ///
  /// - Parameter mtu: The requested ATT_MTU, in `ATTMTU.range`; nil for the radio's own.
  func addCentral(
    named name: String, as kind: Central.Kind, mtu: Int?, report: @escaping @Sendable (CentralEvent) -> Void
  ) throws(StoryFailure) -> CentralPlace

  /// Takes everything off the air.
  func close() async
}

/// The radio of a phone before a system uses it.
package struct PhonePlace: Sendable {
  /// The identity address: `00:AA:01:00:00:00`.
  package let address: String
  /// Nil for a radio that uses its identity address.
  package let key: IdentityResolvingKey?
  package let start: @Sendable (EmulatedPhone) async throws -> Void

  package init(
    address: String, key: IdentityResolvingKey? = nil,
    start: @escaping @Sendable (EmulatedPhone) async throws -> Void
  ) {
    self.address = address
    self.key = key
    self.start = start
  }
}

/// The radio of a central, and its address.
package struct CentralPlace: Sendable {
  package let address: String
  package let radio: any CentralRadio

  package init(address: String, radio: any CentralRadio) {
    self.address = address
    self.radio = radio
  }
}

/// The times of a phone's virtual radio.
package struct PhoneTiming: Hashable, Sendable {
  /// How long a resolvable private address is used; nil for the public address.
  package var addressRotation: Duration?
  /// What the controller adds to each advertising interval.
  package var advertisingDelay = AdvertisingDelay.specification
  /// The connection interval; nil for that of the air.
  package var connectionInterval: Duration?
  /// The ATT_MTU that the phone offers in both roles, in bytes; nil for that of an adapter.
  var mtu: Int?
  /// What a phone with its own services sends first over a connection; nil for nothing.
  var greeting: [UInt8]?
  /// When such a phone discovers the services of a central; nil for never.
  var peripheralDiscovery: Duration?

  package init() {}

  init(_ rules: RuleSet, _ address: Phone.AddressKind, hasOwnServices: Bool) {
    addressRotation = address == .private ? rules.addressRotation.value : nil
    advertisingDelay = rules.advertisingDelay.value
    mtu = rules.clientMTU.value
    connectionInterval = rules.measured.map { _ in rules.connectionInterval.value }
    if hasOwnServices { (greeting, peripheralDiscovery) = (rules.greeting, rules.peripheralDiscovery) }
  }
}
