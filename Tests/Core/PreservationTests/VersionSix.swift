import BleperaAppLink
import BleperaPreservation
import FoundationEssentials

@testable import BleperaBluetooth

/// The state in `Fixtures/version-6.json`.
enum VersionSix {
  private static let battery = BluetoothUUID(0x180F as UInt16)
  private static let vendor = BluetoothUUID(bits: 0x1FA2_FD8A_17E0_4D3B_AF45_305D_A613_0E39)

  static let state = PreservedState(apps: [heartRate, lock, meter, bare], identity: Samples.identified.identity)

  private static let heartRate = PreservedApp(
    identity: AppIdentity(
      bundleIdentifier: "org.example.heart-rate", name: "Heart & <Rate> \u{1F493}",
      backgroundModes: ["bluetooth-peripheral", "audio"],
      rules: RuleOverrides(
        foregroundInterval: 30, backgroundInterval: 1022.5, suspendedError: .insufficientResources,
        disablesCachedValues: true), usesAccessorySetup: true),
    launch: LaunchDescription(
      arguments: ["/usr/bin/blepera", "serve", "a b.plist", ""], folder: "/srv/é",
      environment: ["PS1": "\u{1B}[1m$\r\n", "HOME": "/root", "EMPTY": "", "TABS": "\ta\n"]),
    since: Date(timeIntervalSince1970: 1_767_225_600),
    managers: [
      PreservedManager(
        name: .restorable("heart"),
        content: .peripheral(
          advertisement: PreservedAdvertisement(
            requested: AdvertisementData(localName: "Heart \u{7F}\u{1}", serviceUUIDs: [battery, vendor]),
            effective: AdvertisementData(localName: nil, serviceUUIDs: [battery]), order: 2)))
    ],
    services: [
      PreservedService(
        id: ServiceID(rawValue: 1), manager: .restorable("heart"),
        definition: ServiceDefinition(
          uuid: battery,
          characteristics: [
            CharacteristicDefinition(
              uuid: BluetoothUUID(0x2A19 as UInt16), properties: [.read, .notify], permissions: .readable)
          ]),
        handles: ServiceHandles(
          start: 0x0100, end: 0x0103,
          characteristics: [CharacteristicHandles(declaration: 0x0101, value: 0x0102, clientConfiguration: 0x0103)])),
      PreservedService(
        id: ServiceID(rawValue: 2), manager: .restorable("heart"),
        definition: ServiceDefinition(
          uuid: vendor, isPrimary: false, includedServices: [battery],
          characteristics: [
            CharacteristicDefinition(
              uuid: BluetoothUUID(0x2A38 as UInt16), properties: .read, permissions: .readable,
              value: [0, 0x7F, 0xFF]),
            CharacteristicDefinition(
              uuid: vendor,
              properties: [.notify, .indicate, .write, .writeWithoutResponse, .extendedProperties],
              permissions: [.readEncryptionRequired, .writeable, .writeEncryptionRequired],
              descriptors: [
                DescriptorDefinition(
                  uuid: DescriptorDefinition.userDescription, value: Array("Größe".utf8),
                  permissions: [.readable, .writeable]),
                DescriptorDefinition(uuid: vendor, value: [], permissions: .readable),
              ]),
          ]),
        handles: ServiceHandles(
          start: 0x0104, end: 0x010D, includes: [0x0105],
          characteristics: [
            CharacteristicHandles(declaration: 0x0106, value: 0x0107),
            CharacteristicHandles(
              declaration: 0x0108, value: 0x0109, extendedProperties: 0x010B, clientConfiguration: 0x010A,
              descriptors: [0x010C, 0x010D]),
          ]),
        descriptorValues: [
          DescriptorValue(characteristic: 1, descriptor: 0, value: Array("Höhe".utf8)),
          DescriptorValue(characteristic: 1, descriptor: 1, value: [0xFF, 0x00]),
        ]),
    ],
    subscribers: [
      PreservedSubscriber(
        central: CentralID(rawValue: "F0:F1:F2:F3:00:01"), isBonded: true,
        characteristic: CharacteristicID(service: ServiceID(rawValue: 1), index: 0)),
      PreservedSubscriber(
        central: CentralID(rawValue: "F0:F1:F2:F3:00:01"), isBonded: true,
        characteristic: CharacteristicID(service: ServiceID(rawValue: 2), index: 1),
        updates: [[], [1], [UInt8](repeating: 0xA5, count: 512)]),
      PreservedSubscriber(
        central: CentralID(rawValue: "00:11:22:33:44:55"), isBonded: false,
        characteristic: CharacteristicID(service: ServiceID(rawValue: 2), index: 1), updates: [[2, 3]]),
    ])

  private static let lock = PreservedApp(
    identity: AppIdentity(
      bundleIdentifier: "org.example.lock", name: "Lock", backgroundModes: ["bluetooth-peripheral"],
      rules: RuleOverrides(disablesCachedValues: false)),
    launch: LaunchDescription(arguments: ["lock"], folder: "/", environment: [:]),
    since: Date(timeIntervalSince1970: 1_767_225_601),
    termination: AppTermination(cause: .memoryPressure, at: Date(timeIntervalSince1970: 1_767_323_045)),
    managers: [
      PreservedManager(
        name: .restorable("lock"),
        content: .peripheral(
          advertisement: PreservedAdvertisement(
            requested: nil, effective: AdvertisementData(localName: "Lock", serviceUUIDs: []), order: 1)))
    ],
    services: [
      PreservedService(
        id: ServiceID(rawValue: 7), manager: .restorable("lock"),
        definition: ServiceDefinition(uuid: BluetoothUUID(0x1802 as UInt16)),
        handles: ServiceHandles(start: 0x0200, end: 0x0200))
    ])

  private static let meter = PreservedApp(
    identity: AppIdentity(
      bundleIdentifier: "org.example.meter", name: "", backgroundModes: [],
      rules: RuleOverrides(suspendedError: .unlikelyError)),
    launch: nil, since: Date(timeIntervalSince1970: 0),
    termination: AppTermination(cause: .crash, at: Date(timeIntervalSince1970: 253_402_300_799)),
    managers: [
      PreservedManager(
        name: .restorable("meter"),
        content: .central(
          scan: nil,
          connections: [
            PreservedManager.Connection(peripheral: peripheral, options: ConnectOptions(), isConnected: true)
          ],
          peripherals: [
            RestoredPeripheral(
              peripheral: PeripheralDescription(id: peripheral, name: "Meter", mtu: 185, isConnected: true),
              state: .connected,
              services: [
                .init(
                  service: RemoteServiceDescription(handle: 0x10, uuid: battery, isPrimary: true),
                  characteristics: [
                    .init(
                      characteristic: RemoteCharacteristicDescription(
                        handle: 0x12, uuid: BluetoothUUID(0x2A19 as UInt16), properties: [.read, .notify], value: [99],
                        isNotifying: true),
                      descriptors: [RemoteDescriptorDescription(handle: 0x13, uuid: BluetoothUUID(0x2902 as UInt16))])
                  ])
              ])
          ]))
    ],
    events: [
      PreservedEvent(
        kind: .notification,
        message: .central(
          .restorable("meter"), .peripheral(peripheral, .didUpdateValue(0x12, value: [98], error: nil))))
    ])
  private static let peripheral = PeripheralID(rawValue: "72E4DCEF-A7E1-8776-A6B2-B29540571809")

  private static let bare = PreservedApp(
    identity: AppIdentity(bundleIdentifier: "", name: "", backgroundModes: []), launch: nil,
    since: Date(timeIntervalSince1970: 1))
}
