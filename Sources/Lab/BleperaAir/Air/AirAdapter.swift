package import BleperaBluetooth
import BleperaHost

/// The description of an adapter on the air.
package struct AdapterDescription: Hashable, Sendable {
  /// The identity address, which is public.
  package var address: DeviceAddress
  /// How long a resolvable private address is used; nil for an adapter that uses its identity address.
  package var addressRotation: Duration?
  /// The key of these addresses; nil for one that the air makes.
  package var key: IdentityResolvingKey?
  /// The keys that it has from the start, by the addresses by which their devices are known.
  package var bonds: [DeviceAddress: SecurityBond] = [:]
  /// What the controller adds to each advertising interval.
  package var advertisingDelay: AdvertisingDelay
  /// The interval of connections in which the adapter is the peripheral; nil for that of the air.
  package var connectionInterval: Duration?
  /// The initial alias.
  package var name: String
  package var isPowered: Bool
  /// The offered ATT_MTU, in bytes.
  package var mtu: Int
  /// The time without received packets after which a connection ends that the adapter has made as a central.
  package var supervisionTimeout: Duration
  /// Whether the adapter receives extended advertisements.
  package var receivesExtended: Bool
  /// Whether Adapter1 has the role `central`; some programs use the first adapter with that role.
  package var isCentral: Bool
  /// Whether a host outside the air is above it, to which the air is a link layer alone.
  package var isController = false
  /// Whether phones leave its pairing requests unanswered that promise neither signing nor a link key, as is reported of
  /// iOS 14 and later.
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
    return description
  }
}

/// Differences between the Bluetooth stacks above adapters. The default is the specification's and an iPhone's: Generic
/// Access of a Generic Phone at 0001 to 0005, and Service Changed alone at 0006 to 0009 (iOS 14.2, bluez issue 67; iOS
/// 26.5.1, measured).
package struct StackBehavior: Hashable, Sendable {
  /// How a stack acts as a central.
  package enum Client: Hashable, CaseIterable, Sendable {
    /// Discovers all services of each device to which it connects.
    case discovering
    /// Its user asks for everything, like bluetoothd.
    case bluetoothd
    /// Exchanges the MTU, and discovers the parts that it is asked for. Ends a connection without a key on the other
    /// side.
    case phone
  }

  /// The maximum length of a value in a Write Request, in bytes.
  package var longestWrite = AttributeValue.maximumLength
  /// The maximum length of a value in a long write, in bytes.
  package var longestLongWrite = AttributeValue.maximumLength
  /// Whether a notification has all bytes that the ATT_MTU leaves, and a Write Command is passed on with as many as it
  /// has, as by an iPhone; bluetoothd cuts the one after 512 bytes, and drops the other beyond `longestWrite`.
  package var fillsPackets = true
  /// Whether the stack itself responds to a Write Request if the value can also be written without response.
  package var respondsForApplications = false
  /// Whether the pieces of a prepared write are joined and passed to the application one attribute after the other. An
  /// iPhone passes all pieces together, as they arrived.
  package var joinsPreparedWrites = false
  /// Whether an attribute that permits neither reading nor writing permits both.
  package var ignoresEmptyPermissions = false
  /// The error where an attribute requires encryption and the two share no key (Core Specification, Vol 3, Part C,
  /// 10.3.1); where they share one it is Insufficient Encryption.
  package var missingKeyError = ATTError.insufficientAuthentication
  /// The timeout for an application's response.
  package var requestTimeout = ProcedureTimeout.application.phone
  /// The error after that timeout; nil if the connection ends instead (Core Specification, Vol 3, Part F, 3.3.3).
  package var timeoutError: ATTError?
  /// The value of the PnP ID in Device Information, seven bytes; nil for a stack without Device Information.
  package var pnpID: [UInt8]?
  /// The Appearance in Generic Access (Assigned Numbers, 2.6).
  package var appearance: UInt16 = 0x0040
  /// Whether Generic Access has Central Address Resolution.
  package var hasAddressResolution = false
  package var client = Client.discovering
  /// Whether the stack pairs as a central without a pairing agent.
  package var pairsUnattended = true
  /// What the stack sends first over a new connection, on the channel 003A; nil for nothing.
  package var greeting: [UInt8]?
  /// The passkey that it shows in every pairing; nil for another one in each.
  package var passkey: UInt32?
  /// How long after a connection the stack, as a peripheral, discovers the primary services of the central; nil for never.
  package var peripheralDiscovery: Duration?
  /// Whether Generic Attribute has Client Supported Features and Database Hash.
  package var hasCaching = false
  /// Whether it has Server Supported Features with them.
  package var hasServerFeatures = true

  package init() {}
}

/// A change of an adapter's state.
package enum AdapterSetting: Hashable, Sendable {
  case powered(Bool)
  case discoverable(Bool)
  case pairable(Bool)
  case alias(String)
  /// Nil without a pairing agent.
  case capability(PairingCapability?)
  /// The payload of data PDUs where a connection begins, in bytes.
  case dataLength(Int)
}

/// A controller.
package struct AirAdapter: Sendable {
  package let id: AdapterID
  package let description: AdapterDescription
  package internal(set) var isPowered: Bool
  package internal(set) var isDiscoverable = false
  package internal(set) var scan: ScanWindow?
  /// When the current scan started.
  var scanStart = Duration.zero
  /// The addresses to which the adapter tries to connect, without a limit of time.
  var connecting: Set<DeviceAddress> = []
  /// How it listens for them, beside the scan; nil for always.
  var listening: ScanWindow?
  /// When that started.
  var listeningStart = Duration.zero
  /// How the host above a controller connects.
  var attempt: ConnectionAttempt?
  var isConnecting: Bool { !connecting.isEmpty || attempt != nil }
  /// The payload of its data PDUs where a connection begins, in bytes.
  var dataLength: Int

  /// Whether it receives the advertisements of those to which it connects.
  func isListening(at now: Duration) -> Bool {
    if let attempt { return attempt.isListening(at: now) }
    return listening?.isOpen(after: now - listeningStart) ?? true
      || scan?.isOpen(after: now - scanStart) ?? false
  }

  /// Nil for an adapter that uses its identity address.
  package internal(set) var privacy: AddressPrivacy?

  /// The address that bonded devices know, and that all know without privacy.
  package var identity: DeviceAddress { description.address }
  /// The address under which the adapter advertises.
  package var address: DeviceAddress { privacy?.address ?? identity }

  /// Whether one who has that key knows by its address which device it is.
  func isKnown(with key: IdentityResolvingKey?) -> Bool { key != nil && key == privacy?.key }

  init(_ id: AdapterID, _ description: AdapterDescription) {
    self.id = id
    self.description = description
    isPowered = description.isPowered
    dataLength = description.isController ? LinkEvents.shortestPDU : LinkEvents.longestPDU
  }

  /// Returns whether the adapter is another listener then.
  mutating func apply(_ change: (inout AirAdapter) -> Void) -> Bool {
    let former = AirListener(self, keys: [:])
    change(&self)
    return AirListener(self, keys: [:]) != former
  }
}

/// What decides whether an adapter receives an advertising event: much less than the adapter itself, because there are as
/// many receptions as events times listeners.
struct AirListener: Hashable, Sendable {
  let id: AdapterID
  let scan: ScanWindow?
  let scanStart: Duration
  let receivesExtended: Bool
  let isConnecting: Bool
  /// With which its host resolves addresses, by the addresses by which the devices are known.
  let keys: [DeviceAddress: IdentityResolvingKey]
  /// Until when it receives nothing, as far as that is known.
  private(set) var silenceEnd = Duration.zero

  /// Nil for an adapter that neither scans nor waits to connect.
  init?(_ adapter: AirAdapter, keys: [DeviceAddress: IdentityResolvingKey]) {
    guard adapter.isPowered, adapter.scan != nil || adapter.isConnecting else { return nil }
    id = adapter.id
    scan = adapter.scan
    scanStart = adapter.scanStart
    receivesExtended = adapter.description.receivesExtended
    isConnecting = adapter.isConnecting
    self.keys = keys
  }

  /// Returns whether its scan receives now.
  mutating func isScanOpen(at now: Duration) -> Bool {
    guard let scan else { return false }
    let isOpen = scan.isOpen(after: now - scanStart)
    if !isOpen, !isConnecting { silenceEnd = now + scan.untilNext(after: now - scanStart) }
    return isOpen
  }
}
