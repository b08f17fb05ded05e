import BleperaAppLink
import BleperaPreservation
import FoundationEssentials

@testable import BleperaBluetooth

/// States with something at every key, no larger than they must be.
enum Samples {
  static let manager = ManagerID.Name.restorable("r")
  static let service = ServiceID(rawValue: 3)
  static let characteristic = CharacteristicID(service: service, index: 1)

  static let definition = ServiceDefinition(
    uuid: BluetoothUUID(0x180D as UInt16), isPrimary: false, includedServices: [BluetoothUUID(0x180F as UInt16)],
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A38 as UInt16), properties: .read, permissions: .readable, value: [0, 255]),
      CharacteristicDefinition(
        uuid: BluetoothUUID(bits: 0x1FA2_FD8A_17E0_4D3B_AF45_305D_A613_0E39),
        properties: [.notify, .extendedProperties], permissions: [.readEncryptionRequired, .writeable],
        descriptors: [
          DescriptorDefinition(
            uuid: DescriptorDefinition.userDescription, value: Array("é".utf8), permissions: [.readable, .writeable])
        ]),
    ])

  static let handles = ServiceHandles(
    start: 0x0101, end: 0x0109, includes: [0x0102],
    characteristics: [
      CharacteristicHandles(declaration: 0x0103, value: 0x0104),
      CharacteristicHandles(
        declaration: 0x0105, value: 0x0106, extendedProperties: 0x0107, clientConfiguration: 0x0108,
        descriptors: [0x0109]),
    ])

  static let app = PreservedApp(
    identity: AppIdentity(
      bundleIdentifier: "a.b", name: "<Ü & \u{1B}>", backgroundModes: ["m"],
      rules: RuleOverrides(
        foregroundInterval: 100, backgroundInterval: 1022.5, suspendedError: .insufficientResources,
        disablesCachedValues: true), usesAccessorySetup: true),
    launch: LaunchDescription(arguments: ["b", ""], folder: "/", environment: ["P": "\u{1B}[1m\r\n", "T": " x\n"]),
    since: Date(timeIntervalSince1970: 1_700_000_000),
    termination: AppTermination(cause: .crash, at: Date(timeIntervalSince1970: 1_700_000_001)),
    managers: [
      PreservedManager(
        name: manager,
        content: .peripheral(
          advertisement: PreservedAdvertisement(
            requested: AdvertisementData(localName: "n", serviceUUIDs: [definition.uuid]),
            effective: AdvertisementData(localName: nil, serviceUUIDs: []), order: 2))),
      PreservedManager(
        name: manager,
        content: .central(
          scan: ScanRequest(services: [definition.uuid]),
          connections: [
            PreservedManager.Connection(
              peripheral: PeripheralID(rawValue: "p"), options: ConnectOptions(), isConnected: true)
          ],
          peripherals: [
            RestoredPeripheral(
              peripheral: PeripheralDescription(id: PeripheralID(rawValue: "p"), name: "P"), state: .connected,
              services: [])
          ])),
    ],
    services: [
      PreservedService(
        id: service, manager: manager, definition: definition, handles: handles,
        descriptorValues: [DescriptorValue(characteristic: 1, descriptor: 0, value: [7])])
    ],
    subscribers: [
      PreservedSubscriber(
        central: CentralID(rawValue: "00:11"), isBonded: true, characteristic: characteristic,
        updates: [[], [1, 2]])
    ],
    events: [
      PreservedEvent(
        kind: .disconnection,
        message: .central(
          manager,
          .didDisconnectPeripheral(
            PeripheralID(rawValue: "p"), timestamp: Timestamp(sinceEpoch: .seconds(1)), isReconnecting: false,
            error: nil)))
    ])

  /// A state with every key.
  static let full = PreservedState(apps: [app])

  /// The state of a phone on a virtual air.
  static let identified = PreservedState(
    identity: PhoneIdentity(
      address: "00:AA:01:5C:03:91", key: key,
      bonds: [
        PhoneIdentity.Bond(
          central: CentralID(rawValue: "00:AA:01:00:00:00"), keys: bond,
          subscriptions: [PhoneIdentity.Subscription(characteristic: 0x0106, configuration: 2)])
      ]))

  private static let bond = SecurityBond(
    asCentral: nil, asPeripheral: SecurityBond.Key(value: 0x0123_4567_89AB_CDEF, random: 7, diversifier: 300),
    keySize: 16, isAuthenticated: true, isSecureConnections: false,
    identity: SecurityIdentity(address: SecurityAddress(bits: 0x00AA_0100_0000, isRandom: false), key: key))

  private static let key: IdentityResolvingKey = {
    var random = SplitMix64(seed: 1)
    return IdentityResolvingKey(using: &random)
  }()

  /// An app without any state except its identity.
  static let bare = PreservedApp(
    identity: AppIdentity(bundleIdentifier: "", name: "", backgroundModes: []), launch: nil,
    since: Date(timeIntervalSince1970: 0))

  static let states = [
    PreservedState(), full, identified, PreservedState(apps: [bare]), PreservedState(apps: [bare, app]),
    full.changed { $0.termination = nil }, full.changed { $0.advertisement?.requested = nil },
    full.changed { $0.advertisement?.effective = nil }, full.changed { $0.launch?.environment = [:] },
    full.changed { $0.identity.rules = RuleOverrides() },
  ]
}

extension PreservedApp {
  /// The advertisement of the first manager.
  var advertisement: PreservedAdvertisement? {
    get { managers[0].advertisement }
    set { managers[0].content = .peripheral(advertisement: newValue) }
  }
}

extension PreservedState {
  /// The state with a change of its first app.
  func changed(_ change: (inout PreservedApp) -> Void) -> PreservedState {
    var state = self
    change(&state.apps[0])
    return state
  }
}
