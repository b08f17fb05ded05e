public import BleperaBluetooth
package import BleperaProfile

/// An installable app: its identity, services, advertisement and behavior.
public struct AppDefinition: Sendable {
  /// Returns the value for a read of a characteristic.
  public typealias Reader = @Sendable (BluetoothUUID) -> Result<[UInt8], ATTError>
  /// Handles a written value; returns the error that the central receives. The pieces of a long write are joined.
  public typealias Writer = @Sendable (BluetoothUUID, [UInt8]) -> ATTError?
  /// Handles the writes of one request as a unit, as `didReceiveWrite` of `CBPeripheralManagerDelegate` does; returns
  /// the error that the central receives for all.
  public typealias RequestWriter = @Sendable ([Write]) -> ATTError?

  /// A write, or a piece of a prepared write.
  public struct Write: Hashable, Sendable {
    /// The characteristic that is written.
    public let characteristic: BluetoothUUID
    /// Where the bytes begin, in bytes from the start of the value.
    public let offset: Int
    /// The bytes.
    public let value: [UInt8]
  }

  /// Called with each event of the app. `App.update` can be used here, as in a delegate of `CBPeripheralManager`.
  public typealias Listener = @Sendable (App.Event, App) -> Void

  let identity: AppIdentity
  /// The peripheral manager of an app that is defined by closures.
  let manager: ManagerID.Name
  let advertisement: AdvertisementData
  let services: [ServiceDefinition]
  let read: Reader
  let write: RequestWriter
  let onEvent: Listener
  let seed: UInt64
  /// The profile that defines the app's behavior; nil for an app defined by closures.
  let profile: Profile?
  /// The program of an app that is written against Core Bluetooth; nil for other apps.
  let program: InProcessApp.Program?

  /// Defines an app by closures, which are called on the air's loop.
  ///
  /// - Parameters:
  ///   - restoreIdentifier: Nil if the app does not opt in to state restoration.
  ///   - hasBackgroundMode: Whether `UIBackgroundModes` has `bluetooth-peripheral`.
  ///   - advertised: The service UUIDs; nil for those of its primary services.
  ///   - write: Called for each value of a request in order, until one is refused.
  ///   - onWrite: Called for each request in place of `write`.
  public init(
    _ bundleIdentifier: String, restoreIdentifier: String? = nil, hasBackgroundMode: Bool = true,
    localName: String? = nil, advertising advertised: [BluetoothUUID]? = nil, services: [ServiceDefinition],
    read: @escaping Reader = { _ in .success([]) }, write: @escaping Writer = { _, _ in nil },
    onWrite: RequestWriter? = nil, onEvent: @escaping Listener = { _, _ in }
  ) {
    identity = AppIdentity(
      bundleIdentifier: bundleIdentifier, name: bundleIdentifier.split(separator: ".").last.map { "\($0)" } ?? "",
      backgroundModes: hasBackgroundMode ? [AppIdentity.peripheralBackgroundMode] : [])
    manager = ManagerID.Name(restoreIdentifier)
    advertisement = AdvertisementData(
      localName: localName, serviceUUIDs: advertised ?? services.filter(\.isPrimary).map(\.uuid))
    self.services = services
    self.read = read
    self.write =
      onWrite ?? { writes in
        for value in Write.joined(writes) {
          if let error = write(value.characteristic, value.value) { return error }
        }
        return nil
      }
    self.onEvent = onEvent
    seed = 0
    profile = nil
    program = nil
  }

  /// Defines an app that is written against Core Bluetooth.
  init(_ bundleIdentifier: String, backgroundModes: [String], program: @escaping InProcessApp.Program) {
    identity = AppIdentity(
      bundleIdentifier: bundleIdentifier, name: bundleIdentifier.split(separator: ".").last.map { "\($0)" } ?? "",
      backgroundModes: backgroundModes)
    (manager, advertisement, services, seed, profile) = (.number(0), AdvertisementData(), [], 0, nil)
    (read, write, onEvent) = ({ _ in .failure(.unlikelyError) }, { _ in .unlikelyError }, { _, _ in })
    self.program = program
  }

  /// Defines an app by a profile, given as the bytes of a property list.
  public init(profile bytes: [UInt8], file: String = "profile.plist") throws {
    let check = Profile.check(bytes, file: file)
    guard let profile = check.profile else { throw StoryFailure.faultyProfile(check.diagnostics.map { "\($0)" }) }
    self.init(profile: profile, fallbackName: file)
  }

  /// - Parameters:
  ///   - fallbackName: Used for an identifier or name that the profile omits.
  ///   - seed: Seed for the random values of its characteristics.
  package init(profile: Profile, fallbackName: String, seed: UInt64 = 0) {
    self.seed = seed
    let name = profile.bundleName ?? fallbackName
    identity = AppIdentity(
      bundleIdentifier: profile.bundleIdentifier ?? name, name: name, backgroundModes: profile.backgroundModes)
    (manager, advertisement, services) = (.number(0), AdvertisementData(), [])
    (read, write, onEvent) = ({ _ in .failure(.unlikelyError) }, { _ in .unlikelyError }, { _, _ in })
    self.profile = profile
    program = nil
  }

  /// Whether the app starts advertising.
  var advertises: Bool { profile.map { $0.advertisement != nil } ?? true }

  /// Whether the app has a peripheral manager, as far as that is known.
  var isPeripheral: Bool { profile?.isPeripheral ?? true }

  var serviceCount: Int { profile?.services.count ?? services.count }

  func uuid(of id: CharacteristicID) -> BluetoothUUID {
    services[id.service.rawValue].characteristics[id.index].uuid
  }

  func id(of uuid: BluetoothUUID) -> CharacteristicID? {
    for (number, service) in services.enumerated() {
      if let index = service.characteristics.firstIndex(where: { $0.uuid == uuid }) {
        return CharacteristicID(service: ServiceID(rawValue: number), index: index)
      }
    }
    return nil
  }
}

extension AppDefinition.Write {
  /// Joins each piece that begins where the last one of its characteristic ended, in the order of the first pieces.
  static func joined(_ writes: [Self]) -> [Self] {
    writes.reduce(into: []) { joined, write in
      guard let index = joined.lastIndex(where: { $0.characteristic == write.characteristic }),
        joined[index].offset + joined[index].value.count == write.offset, write.offset > 0
      else { return joined.append(write) }
      joined[index] = Self(
        characteristic: write.characteristic, offset: joined[index].offset, value: joined[index].value + write.value)
    }
  }
}
