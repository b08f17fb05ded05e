package import BleperaBluetooth

/// An adapter as it is put on the air.
package struct AdapterDescription: Hashable, Sendable {
  package var address: DeviceAddress
  /// The alias that it begins with.
  package var name: String
  package var isPowered: Bool
  /// How many advertisements its controller has room for: 3 with btvirt, 5 where bluetoothd rotates them itself.
  package var advertisementLimit: Int
  /// The ATT_MTU that it offers, in bytes.
  package var mtu: Int
  /// Whether it receives extended advertisements.
  package var receivesExtended: Bool
  /// Whether its Adapter1 has the role `central`; some programs take the first adapter that has it.
  package var isCentral: Bool
  package var stack: StackBehavior

  package init(
    address: DeviceAddress, name: String, isPowered: Bool = true, advertisementLimit: Int = 3, mtu: Int = 517,
    receivesExtended: Bool = true, isCentral: Bool = true, stack: StackBehavior = StackBehavior()
  ) {
    self.address = address
    self.name = name
    self.isPowered = isPowered
    self.advertisementLimit = advertisementLimit
    self.mtu = mtu
    self.receivesExtended = receivesExtended
    self.isCentral = isCentral
    self.stack = stack
  }
}

/// Where the Bluetooth stacks above adapters differ. The default is the specification's, and an iPhone's.
package struct StackBehavior: Hashable, Sendable {
  /// The longest value of a Write Request, in bytes.
  package var longestWrite = AttributeValue.maximumLength
  /// The longest value of a long write, in bytes.
  package var longestLongWrite = AttributeValue.maximumLength
  /// Whether the stack itself responds to a Write Request for a value that can be written without response as well.
  package var respondsForApplications = false
  /// Whether an attribute that permits neither reading nor writing permits both.
  package var ignoresEmptyPermissions = false
  /// How long an application may take for a response.
  package var requestTimeout = Duration.seconds(30)
  /// What the central receives after that; nil where the connection ends (Core Specification, Vol 3, Part F, 3.3.3).
  package var timeoutError: ATTError?
  /// The value of the PnP ID in Device Information: seven bytes.
  package var pnpID: [UInt8] = [0x02, 0x6B, 0x1D, 0x46, 0x02, 0x42, 0x05]

  package init() {}
}

/// A change of an adapter's state.
package enum AdapterSetting: Hashable, Sendable {
  case powered(Bool)
  case discoverable(Bool)
  case pairable(Bool)
  case alias(String)
  /// Nil where there is no pairing agent.
  case capability(PairingCapability?)
}

/// An adapter and all that is on it.
package struct AirAdapter: Sendable {
  package let id: AdapterID
  package let description: AdapterDescription
  package internal(set) var isPowered: Bool
  package internal(set) var alias: String
  package internal(set) var isDiscoverable = false
  package internal(set) var isPairable = true
  package internal(set) var capability: PairingCapability?
  package internal(set) var database: AttributeDatabase
  package internal(set) var scan: ScanWindow?
  /// When the present scan began.
  var scanStart = Duration.zero
  /// The devices that it shares a key with.
  package internal(set) var bonds: Set<DeviceAddress> = []
  /// The devices that it is to connect to, with the number of the attempt.
  var connecting: [DeviceAddress: Int] = [:]

  package var address: DeviceAddress { description.address }

  init(_ id: AdapterID, _ description: AdapterDescription) {
    self.id = id
    self.description = description
    isPowered = description.isPowered
    alias = description.name
    database = AttributeDatabase(pnpID: description.stack.pnpID)
  }
}
