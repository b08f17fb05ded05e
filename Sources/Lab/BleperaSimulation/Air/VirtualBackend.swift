import BleperaAccessory
package import BleperaAir
import BleperaAppLink
import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
package import BleperaLoop
package import BleperaPhone
import BleperaProfile
import BleperaRadio
import BleperaRules
import Synchronization

/// A virtual air on a virtual clock. Only this file and `VirtualCentral+CentralRadio` know how the air is simulated.
package final class VirtualBackend: Backend {
  package let virtualLoop: VirtualLoop
  package let air: SharedAir
  /// By identity address.
  private let adapters = Mutex<[String: AdapterID]>([:])
  private let accessories = Mutex<[AccessoryDevice]>([])

  package var loop: any ActorLoop { virtualLoop }
  package var virtual: VirtualBackend? { self }

  package init(seed: UInt64, conditions: AirConditions, isPaced: Bool = false) {
    virtualLoop = VirtualLoop(beginning: Air.virtualBeginning, isPaced: isPaced)
    air = SharedAir(loop: virtualLoop, conditions: conditions, seed: seed)
  }

  package func advance(by duration: Duration) { virtualLoop.advance(by: duration) }

  package func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value { virtualLoop.perform(body) }

  package func wait<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error>? {
    virtualLoop.run(until: virtualLoop.now + limit, body)
  }

  package func finish<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>? {
    wait(within: limit, body)
  }

  package func close() {}

  func capture(_ write: @escaping @Sendable ([UInt8]) -> Void) { withAir { $0.capture(write) } }

  // MARK: Phones and centrals

  package func addPhone(named name: String, _ settings: PhoneSettings) -> PhonePlace {
    let (adapter, address) = addAdapter { $0 = AdapterDescription(settings, address: $0.address) }
    return PhonePlace(address: address, key: withAir { $0.air.adapters[adapter]?.privacy?.key }) { [air] system in
      try await system.start { report in
        HostRadio(adapter: air.hosted(adapter), pairing: settings.pairing, report: report)
      }
    }
  }

  /// Adds an accessory, which is switched on and stays until the end of the air.
  ///
  /// - Parameter observer: Receives its events, on the loop.
  func addAccessory(
    _ accessory: AccessoryDescription, seed: UInt64, observer: @escaping @Sendable (EventRecord) -> Void
  ) -> (device: AccessoryDevice, address: String, key: IdentityResolvingKey?) {
    let (adapter, address) = addAdapter { $0 = AdapterDescription(accessory, address: $0.address) }
    let device = AccessoryDevice(air: air, adapter: adapter, accessory, seed: seed, observer: observer)
    accessories.withLock { $0.append(device) }
    virtualLoop.perform { device.assumeIsolated { $0.start() } }
    return (device, address, withAir { $0.air.adapters[adapter]?.privacy?.key })
  }

  package func addCentral(
    named name: String, as kind: Central.Kind, mtu: Int?, report: @escaping @Sendable (CentralEvent) -> Void
  ) -> CentralPlace {
    let (adapter, address) = addAdapter { description in
      description.name = name
      description.mtu = mtu ?? ATTMTU.iPhone
      if case .iPhoneApp = kind { description.supervisionTimeout = AdapterDescription.iPhoneSupervisionTimeout }
    }
    let central = VirtualCentral(air: air, adapter: adapter) { report(CentralEvent($0)) }
    virtualLoop.perform { central.assumeIsolated { $0.start() } }
    return CentralPlace(address: address, radio: central)
  }

  private func addAdapter(
    _ describe: @escaping @Sendable (inout AdapterDescription) -> Void
  ) -> (AdapterID, String) {
    let (adapter, address) = virtualLoop.perform { [air] in
      air.assumeIsolated { air in
        var description = AdapterDescription(address: air.nextAddress, name: "")
        describe(&description)
        let adapter = air.addAdapter(description)
        return (adapter, air.air.adapters[adapter].map { "\($0.identity)" } ?? "")
      }
    }
    add(adapter, at: address)
    return (adapter, address)
  }

  /// Lets faults name the adapter by that address.
  package func add(_ adapter: AdapterID, at address: String) { adapters.withLock { $0[address] = adapter } }

  /// Gives a central a display and two keys, for yes and no.
  func setDisplay(of address: String) {
    guard let adapter = adapter(at: address) else { return }
    withAir { $0.run(.host(adapter, .capability(.displayYesNo))) }
  }

  /// The address under which the adapter with that identity address advertises now; nil while it is unplugged.
  func currentAddress(of identity: String) -> String? {
    guard let adapter = adapter(at: identity) else { return nil }
    return withAir { air in air.address(of: adapter).map { "\($0)" } }
  }

  // MARK: Faults

  var conditions: AirConditions { withAir { $0.conditions } }

  func set(_ conditions: AirConditions) { withAir { $0.set(conditions) } }

  /// The conditions between two addresses that override those of the air.
  func conditions(between first: String, and second: String) -> PairConditions {
    withAdapters(first, second) { $0.conditions(between: $1, and: $2) } ?? PairConditions()
  }

  func set(_ conditions: PairConditions, between first: String, and second: String) {
    withAdapters(first, second) { $0.set(conditions, between: $1, and: $2) }
  }

  /// Ends the connection between two addresses.
  ///
  /// - Returns: Whether the two were connected.
  func cut(between first: String, and second: String) -> Bool {
    withAdapters(first, second) { air, first, second in
      defer { air.cut(between: first, and: second) }
      return air.isConnected(first, to: second)
    } ?? false
  }

  /// Ends the connection between two addresses at a future PDU; nil cancels.
  func cut(between first: String, and second: String, at cut: LinkCut?) {
    withAdapters(first, second) { $0.cut(between: $1, and: $2, at: cut) }
  }

  /// A fault of the machine that a phone runs on.
  enum MachineFault {
    case stopDaemon, startDaemon, unplugAdapter, plugAdapter, loseBus
    /// Switches the machine's adapter without a request to the phone.
    case power(Bool)
  }

  /// - Returns: False if the machine's bus is lost permanently, which `startDaemon` needs.
  @discardableResult
  func apply(_ fault: MachineFault, at address: String) -> Bool {
    guard let adapter = adapter(at: address) else { return true }
    return withAir { air in
      guard let phone = air.user(of: adapter) as? HostRadio else {
        preconditionFailure("a phone has a radio from its beginning to its end")
      }
      return phone.assumeIsolated { phone in
        switch fault {
        case .stopDaemon: phone.interrupt(.noDaemon)
        case .startDaemon: return phone.resume(.noDaemon)
        case .unplugAdapter: phone.interrupt(.noAdapter)
        case .plugAdapter: phone.resume(.noAdapter)
        case .loseBus: phone.end("The message bus is lost.")
        case .power(let isOn): _ = phone.switchPower(on: isOn) { _ in }
        }
        return true
      }
    }
  }

  /// Whether the machine of a phone still has its bus.
  func hasBus(at address: String) -> Bool {
    guard let adapter = adapter(at: address) else { return true }
    return withAir { air in
      (air.user(of: adapter) as? HostRadio).map { phone in !phone.assumeIsolated { $0.hasEnded } } ?? true
    }
  }

  private func adapter(at address: String) -> AdapterID? { adapters.withLock { $0[address] } }

  /// Runs `body` on the loop.
  @discardableResult
  private func withAir<Value: Sendable>(_ body: @escaping @Sendable (isolated SharedAir) -> Value) -> Value {
    virtualLoop.perform { air.assumeIsolated { body($0) } }
  }

  /// Runs `body` on the loop; nil if one of the two has no radio.
  @discardableResult
  private func withAdapters<Value: Sendable>(
    _ first: String, _ second: String,
    _ body: @escaping @Sendable (isolated SharedAir, AdapterID, AdapterID) -> Value
  ) -> Value? {
    guard let first = adapter(at: first), let second = adapter(at: second) else { return nil }
    return withAir { body($0, first, second) }
  }
}
