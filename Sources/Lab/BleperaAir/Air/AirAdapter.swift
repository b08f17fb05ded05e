package import BleperaBluetooth
package import BleperaHost

/// The description of an adapter on the air.
package struct AdapterDescription: Hashable, Sendable {
  /// The identity address, which is public.
  package var address: DeviceAddress
  /// How long a resolvable private address is used; nil for an adapter that uses its identity address.
  package var addressRotation: Duration?
  /// The key of the private addresses; nil for a key that the air makes.
  package var key: IdentityResolvingKey?
  /// The keys that it has from the start, by the addresses by which their devices are known.
  package var bonds: [DeviceAddress: SecurityBond] = [:]
  /// The delay that the controller adds to each advertising interval.
  package var advertisingDelay: AdvertisingDelay
  /// The interval of connections in which the adapter is the peripheral; nil for that of the air.
  package var connectionInterval: Duration?
  /// The initial alias.
  package var name: String
  package var isPowered: Bool
  /// The offered ATT_MTU, in bytes.
  package var mtu: Int
  /// The payload of its data PDUs where a connection begins, in bytes.
  package var dataLength = LinkEvents.longestPDU
  /// The time without received packets after which a connection ends that the adapter has made as a central.
  package var supervisionTimeout: Duration
  /// Whether the adapter receives extended advertisements.
  package var receivesExtended: Bool
  /// Whether Adapter1 has the role `central`; some programs use the first adapter with that role.
  package var isCentral: Bool
  /// Whether the adapter is the controller of a host outside the air, to which the air is a link layer alone.
  package var isController = false
  /// Whether phones leave its pairing requests unanswered that promise neither signing nor a link key, as is reported
  /// of iOS 14 and later.
  package var meetsStrictPhones = false
  package var stack: StackBehavior

  /// The Linux kernel's default.
  package static let bluezSupervisionTimeout = ProcedureTimeout.supervision.bluetoothd
  /// From the CONNECT_REQ of an iPhone's app in the Ubertooth log of davidgyoung/ios-overflow-area: interval 0x18,
  /// latency 0, timeout 0x48.
  package static let iPhoneSupervisionTimeout = ProcedureTimeout.supervision.phone

  package init(
    address: DeviceAddress, addressRotation: Duration? = nil,
    advertisingDelay: AdvertisingDelay = .specification, name: String, isPowered: Bool = true,
    mtu: Int = 517, supervisionTimeout: Duration = bluezSupervisionTimeout,
    receivesExtended: Bool = true, isCentral: Bool = true,
    stack: StackBehavior = StackBehavior()
  ) {
    self.address = address
    self.addressRotation = addressRotation
    self.advertisingDelay = advertisingDelay
    self.name = name
    self.isPowered = isPowered
    self.mtu = mtu
    self.supervisionTimeout = supervisionTimeout
    self.receivesExtended = receivesExtended
    self.isCentral = isCentral
    self.stack = stack
  }
}

extension AdapterDescription {
  /// A link layer alone, with a host outside the air above it.
  package static func controller(
    address: DeviceAddress, name: String, isStrict: Bool = false
  ) -> AdapterDescription {
    var description = AdapterDescription(address: address, name: name)
    (description.isController, description.meetsStrictPhones) = (true, isStrict)
    description.dataLength = LinkEvents.shortestPDU
    return description
  }
}

extension AdapterDescription {
  /// Gives the adapter the address, the key and the bonds of a phone.
  package mutating func take(_ identity: PhoneIdentity) {
    if let address = DeviceAddress(identity.address) { self.address = address }
    key = identity.key
    bonds.merge(identity.keys) { $1 }
  }
}

/// A controller.
package struct AirAdapter: Sendable {
  package let id: AdapterID
  package let description: AdapterDescription
  package internal(set) var isPowered: Bool
  package internal(set) var scan: ScanWindow?
  /// When the current scan started.
  var scanStart = Duration.zero
  /// The channel of the first window of the scan, from zero.
  var firstChannel = 0
  /// The addresses to which the adapter tries to connect, without a limit of time.
  var connecting: Set<DeviceAddress> = []
  /// The window in which the adapter listens for those devices, beside the scan; nil for the kernel's.
  var listening: ScanWindow?
  /// The start of `listening`.
  var listeningStart = Duration.zero
  /// How the host above a controller connects.
  var attempt: ConnectionAttempt?
  var isConnecting: Bool { !connecting.isEmpty || attempt != nil }
  /// The payload of its data PDUs where a connection begins, in bytes.
  var dataLength: Int
  var defects: Set<PhoneDefect> = []

  /// Nil for an adapter that uses its identity address.
  package internal(set) var privacy: AddressPrivacy?

  /// The address that bonded devices know, and that all know without privacy.
  package var identity: DeviceAddress { description.address }
  /// The address under which the adapter advertises.
  package var address: DeviceAddress { privacy?.address ?? identity }

  /// Whether a device that has the key knows the adapter by its present address.
  func isKnown(with key: IdentityResolvingKey?) -> Bool { key != nil && key == privacy?.key }

  init(_ id: AdapterID, _ description: AdapterDescription) {
    self.id = id
    self.description = description
    isPowered = description.isPowered
    dataLength = description.dataLength
  }

  /// Returns whether the adapter is another listener then.
  mutating func apply(_ change: (inout AirAdapter) -> Void) -> Bool {
    let former = AirListener(self, keys: [:])
    change(&self)
    let listener = AirListener(self, keys: [:])
    return listener.map { !$0.listens(as: former) } ?? (former != nil)
  }
}
