import BleperaAccessory
import BleperaAir
import BleperaAppLink
public import BleperaBluetooth
package import BleperaProfile
import Synchronization

/// A device on a virtual air that is no phone, and to which no rule of iOS applies: a strap, a lock, a beacon.
///
/// The accessory advertises while it is on and no central is connected. An accessory without services is a
/// broadcaster, to which nobody can connect.
public final class Accessory: AirDevice, Sendable {
  /// The name in traces.
  public let name: String
  /// The public or static address, which bonded devices know; empty if the accessory could not be made.
  public let identityAddress: String
  /// The key that resolves the private addresses; nil for an accessory without private addresses.
  public let irk: IdentityResolvingKey?
  private let air: Air
  private let device: AccessoryDevice?
  private let written: WrittenValues

  /// Makes an accessory in code, and switches it on.
  ///
  /// - Parameters:
  ///   - advertised: The service UUIDs; nil for those of its primary services.
  ///   - manufacturerData: The number of the company, its low byte first, and the company's data.
  ///   - services: A characteristic's `value` is its first one; a written value is kept.
  ///   - interval: The time between two advertisements.
  public convenience init(
    on air: Air, named name: String = "accessory", localName: String? = nil,
    advertising advertised: [BluetoothUUID]? = nil,
    manufacturerData: [UInt8]? = nil, services: [ServiceDefinition] = [], interval: Duration = .microseconds(152_500),
    address: AccessoryAddressKind = .public, pairing: AccessoryPairing = .justWorks,
    bonding: AccessoryBonding = AccessoryBonding()
  ) {
    var description = AccessoryDescription(name: localName ?? name)
    description.profile.services = services.map { Profile.Service($0).dynamic }
    (description.address, description.pairing, description.bonding) = (address, pairing, bonding)
    let advertisement = AccessoryDescription.Advertisement(
      localName: localName, serviceUUIDs: advertised ?? services.filter(\.isPrimary).map(\.uuid),
      manufacturerData: manufacturerData)
    if let advertisement {
      description.advertisement = advertisement
    } else {
      air.fail(.accessory("\(name) advertises more than fits into an advertisement and a scan response"))
    }
    description.advertisement.interval = interval
    self.init(on: air, named: name, description)
  }

  /// Makes the accessory of a property list, its own or a profile, and switches it on.
  ///
  /// - Throws: `StoryFailure.faultyProfile` with what `blepera check` prints.
  public convenience init(
    on air: Air, named name: String = "accessory", file bytes: [UInt8], path: String = "accessory.plist"
  ) throws {
    let check = AccessoryDescription.check(bytes, file: path)
    guard let accessory = check.accessory else { throw StoryFailure.faultyProfile(check.diagnostics.map { "\($0)" }) }
    self.init(on: air, named: name, accessory)
  }

  package init(on air: Air, named name: String, _ description: AccessoryDescription, seed: UInt64 = 0) {
    (self.air, self.name) = (air, name)
    let written = WrittenValues()
    self.written = written
    guard let backend = air.backend.virtual else {
      (identityAddress, irk, device) = ("", nil, nil)
      air.fail(.accessory("\(name) needs the virtual radio; this story is on real adapters"))
      return
    }
    (device, identityAddress, irk) = backend.addAccessory(description, seed: seed) { [weak air] record in
      written.add(record)
      air?.note(record, on: name)
    }
  }

  /// The address under which it advertises now: `5A:01:02:03:04:05`.
  public var address: String { air.backend.virtual?.currentAddress(of: identityAddress) ?? identityAddress }

  /// Switches the accessory; its values and its bonds stay.
  public func switchPower(on isOn: Bool) { withDevice({ $0.switchPower(on: isOn) }, otherwise: ()) }

  // MARK: Bonds

  /// The identity addresses of the devices that share keys with the accessory, the least recent pairing first.
  public var bonds: [String] { withDevice({ $0.bonds }, otherwise: []) }

  /// Deletes the keys of a device, by its identity address; nil for all devices. The devices keep their own keys.
  public func forgetBonds(with address: String? = nil) { withDevice({ $0.forgetBonds(with: address) }, otherwise: ()) }

  // MARK: Values

  /// Changes a value, and sends it to those who are subscribed. A characteristic without it fails the story.
  public func set(_ characteristic: BluetoothUUID, to value: [UInt8]) {
    if !withDevice({ $0.set(characteristic, to: value) }, otherwise: true) {
      air.fail(.accessory("\(name) has no characteristic \(characteristic)"))
    }
  }

  /// The value that a read returns now; nil without such a characteristic.
  public func value(of characteristic: BluetoothUUID) -> [UInt8]? {
    withDevice({ $0.value(of: characteristic) }, otherwise: nil)
  }

  /// The values that were written to the characteristic and accepted, in order; a long write is one.
  public func writes(to characteristic: BluetoothUUID) -> [[UInt8]] { written.values(of: characteristic) }

  // MARK: Centrals

  /// The centrals of the story that are connected.
  public var connectedCentrals: [Central] { centrals(withDevice({ $0.connectedCentrals }, otherwise: [])) }

  /// The connected centrals of the story that are subscribed to the characteristic.
  public func subscribers(of characteristic: BluetoothUUID) -> [Central] {
    centrals(withDevice({ $0.subscribers(of: characteristic) }, otherwise: []))
  }

  private func centrals(_ addresses: [DeviceAddress]) -> [Central] {
    air.centrals.withLock { centrals in addresses.compactMap { centrals["\($0)"] } }
  }

  /// Uses the accessory, on the loop.
  private func withDevice<Value: Sendable>(
    _ body: @escaping @Sendable (isolated AccessoryDevice) -> Value, otherwise other: Value
  ) -> Value {
    guard let device else { return other }
    return air.backend.perform { device.assumeIsolated { body($0) } }
  }
}

/// The values that centrals have written.
private final class WrittenValues: Sendable {
  private let values = Mutex<[(uuid: BluetoothUUID, value: [UInt8])]>([])

  func add(_ record: EventRecord) {
    guard record.event == .write, record[.error] == nil, let uuid = record.uuid(.characteristic),
      let value = record.bytes(.value)
    else { return }
    values.withLock { $0.append((uuid, value)) }
  }

  func values(of uuid: BluetoothUUID) -> [[UInt8]] { values.withLock { $0.filter { $0.uuid == uuid }.map(\.value) } }
}

extension Profile.Service {
  fileprivate init(_ service: ServiceDefinition) {
    self.init(
      uuid: service.uuid, isPrimary: service.isPrimary, includedServices: service.includedServices,
      characteristics: service.characteristics.map { Profile.Characteristic(definition: $0) })
  }
}
