package import BleperaBluetooth
import BleperaRadio
import FoundationEssentials

/// An iPhone's own services, which the system publishes beside those of apps and to which it responds itself.
///
/// Services, characteristics and properties of the first five are those that the README of Kuniwak/swift-ble-macro
/// lists, in its order. Apple's specifications of ANCS and AMS have the other two. Where no source is named, handles,
/// values and permissions are ours.
package struct PhoneServices: Sendable {
  /// A characteristic that a central uses, found by its handle.
  struct Attribute {
    let name: AttributeName
    let definition: CharacteristicDefinition
  }

  /// The services that every central discovers, in the order of their handles.
  private(set) var open: [RadioService]
  /// The services that the phone publishes once a central is paired, in the order of their handles: the Apple
  /// Notification Center Service "is not guaranteed to always be present" (ANCS specification), and centrals report
  /// that an unpaired one does not discover it (InfiniTimeOrg/InfiniTime, issue 910).
  private(set) var paired: [RadioService]
  private var hasPublishedPaired = false

  /// The handles after bluetoothd's own services and before the services of apps, which begin at 0x0100.
  private static let handles: ClosedRange<AttributeHandle> = 0x00C0...0x00FF

  init() {
    var allocator = HandleAllocator(range: Self.handles)
    func allocate(_ definitions: [ServiceDefinition]) -> [RadioService] {
      definitions.map { definition in
        do throws(HandleSpaceExhausted) {
          return RadioService(definition: definition, handles: try allocator.allocate(for: definition))
        } catch { preconditionFailure("\(error)") }
      }
    }
    open = allocate(Self.openDefinitions)
    paired = allocate(Self.pairedDefinitions)
  }

  /// The services to publish when a central is paired: none again later.
  mutating func publishPaired() -> [RadioService] {
    defer { hasPublishedPaired = true }
    return hasPublishedPaired ? [] : paired
  }

  /// The service that begins at the handle.
  func service(at start: AttributeHandle) -> ServiceDefinition? {
    (open + paired).first { $0.handles.start == start }?.definition
  }

  /// Gives the service that begins at the handle others; returns the service.
  mutating func move(from start: AttributeHandle, to handles: ServiceHandles) -> ServiceDefinition? {
    for list in [\PhoneServices.open, \.paired] {
      guard let index = self[keyPath: list].firstIndex(where: { $0.handles.start == start }) else { continue }
      let definition = self[keyPath: list][index].definition
      self[keyPath: list][index] = RadioService(definition: definition, handles: handles)
      return definition
    }
    return nil
  }

  /// The characteristic with the handle of its value; nil for a handle that is not the phone's own.
  func attribute(_ handle: AttributeHandle) -> Attribute? {
    for service in open + paired {
      guard let index = service.handles.characteristics.firstIndex(where: { $0.value == handle }) else { continue }
      let definition = service.definition.characteristics[index]
      return Attribute(
        name: AttributeName(service: service.definition.uuid, characteristic: definition.uuid), definition: definition)
    }
    return nil
  }

  // MARK: Responses

  /// The value that a central reads.
  static func read(_ characteristic: CharacteristicDefinition, at date: Date) throws(ATTError) -> [UInt8] {
    guard characteristic.properties.contains(.read) else { throw .readNotPermitted }
    switch characteristic.uuid {
    case currentTimeValue: return CurrentTime.value(at: date)
    // The emulated phone plays no media, so no attribute of the Apple Media Service has a value.
    case entityAttribute: throw .absentAttribute
    default: return characteristic.value ?? []
    }
  }

  /// Accepts a write, which has no effect: the emulated phone plays no media and has no notifications.
  static func write(_ value: [UInt8], to characteristic: CharacteristicDefinition) throws(ATTError) {
    guard !characteristic.properties.isDisjoint(with: .writable) else { throw .writeNotPermitted }
    if characteristic.uuid == controlPoint { try refuse(command: value) }
  }

  /// Refuses a command of ANCS (*Error Codes* of its specification); every command names a notification or an app.
  private static func refuse(command: [UInt8]) throws(ATTError) {
    // The fewest bytes of a command: its identifier, and the notification's, an app's with its final 0, or the
    // notification's and the action's.
    let shortest: [UInt8: Int] = [0: 5, 1: 2, 2: 6]
    guard let id = command.first else { throw .invalidCommand }
    guard let count = shortest[id] else { throw .unknownCommand }
    throw command.count < count ? .invalidCommand : .invalidParameter
  }

  // MARK: Definitions

  private static let openDefinitions = [deviceInformation, continuity, nearby, battery, currentTime]
  private static let pairedDefinitions = [notificationCenter, media]

  /// The UUIDs of all characteristics.
  package static let characteristics = Set(
    (openDefinitions + pairedDefinitions).flatMap(\.characteristics).map(\.uuid))

  private static let currentTimeValue = BluetoothUUID(0x2A2B as UInt16)
  private static let controlPoint = BluetoothUUID(bits: 0x69D1_D8F3_45E1_49A8_9821_9BBD_FDAA_D9D9)
  private static let entityAttribute = BluetoothUUID(bits: 0xC6B2_F38C_23AB_46D8_A6AB_A3A8_70BB_D5D7)

  private static let deviceInformation = ServiceDefinition(
    uuid: BluetoothUUID(0x180A as UInt16),
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A29 as UInt16), properties: .read, permissions: .readable,
        value: Array("Apple Inc.".utf8)),
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A24 as UInt16), properties: .read, permissions: .readable,
        value: Array("iPhone15,2".utf8)),
    ])

  private static let continuity = ServiceDefinition(
    uuid: ServiceDefinition.continuity,
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(bits: 0x8667_556C_9A37_4C91_84ED_54EE_27D9_0049),
        properties: [.write, .notify, .extendedProperties], permissions: .writeable)
    ])

  private static let nearby = ServiceDefinition(
    uuid: ServiceDefinition.nearby,
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(bits: 0xAF0B_ADB1_5B99_43CD_917A_A77B_C549_E3CC),
        properties: [.write, .notify, .extendedProperties], permissions: .writeable)
    ])

  /// An iPhone refuses an unpaired read of handle 0x0016 (nordicsemi/IOS-nRF-Connect, issue 94), which Battery Level
  /// has where this service is the fifth, as we take it.
  private static let battery = ServiceDefinition(
    uuid: BluetoothUUID(0x180F as UInt16),
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A19 as UInt16), properties: [.read, .notifyEncryptionRequired],
        permissions: .readEncryptionRequired, value: [80])
    ])

  /// A watch reads the Current Time only over a paired link (ZSWatch/ZSWatch, pull request 407).
  private static let currentTime = ServiceDefinition(
    uuid: BluetoothUUID(0x1805 as UInt16),
    characteristics: [
      CharacteristicDefinition(
        uuid: currentTimeValue, properties: [.read, .notifyEncryptionRequired],
        permissions: .readEncryptionRequired),
      // The time zone is UTC, without daylight saving time.
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A0F as UInt16), properties: .read, permissions: .readEncryptionRequired, value: [0, 0]),
    ])

  /// "All these characteristics require authorization for access" (ANCS specification): an encrypted link.
  private static let notificationCenter = ServiceDefinition(
    uuid: ServiceDefinition.appleNotificationCenter,
    characteristics: [
      // Notification Source
      CharacteristicDefinition(
        uuid: BluetoothUUID(bits: 0x9FBF_120D_6301_42D9_8C58_25E6_99A2_1DBD),
        properties: .notifyEncryptionRequired, permissions: []),
      CharacteristicDefinition(uuid: controlPoint, properties: .write, permissions: .writeEncryptionRequired),
      // Data Source
      CharacteristicDefinition(
        uuid: BluetoothUUID(bits: 0x22EA_C6E9_24D6_4BB5_BE44_B36A_CE7C_7BFB),
        properties: .notifyEncryptionRequired, permissions: []),
    ])

  /// Properties are those of the AMS specification; the permissions are those of ANCS.
  private static let media = ServiceDefinition(
    uuid: ServiceDefinition.appleMedia,
    characteristics: [
      // Remote Command
      CharacteristicDefinition(
        uuid: BluetoothUUID(bits: 0x9B3C_81D8_57B1_4A8A_B8DF_0E56_F7CA_51C2),
        properties: [.write, .notifyEncryptionRequired], permissions: .writeEncryptionRequired),
      // Entity Update
      CharacteristicDefinition(
        uuid: BluetoothUUID(bits: 0x2F7C_ABCE_808D_411F_9A0C_BB92_BA96_C102),
        properties: [.write, .notifyEncryptionRequired], permissions: .writeEncryptionRequired),
      CharacteristicDefinition(
        uuid: entityAttribute, properties: [.read, .write],
        permissions: [.readEncryptionRequired, .writeEncryptionRequired]),
    ])
}

extension ATTError {
  // The errors of ANCS.
  fileprivate static let unknownCommand = Self(rawValue: 0xA0)
  fileprivate static let invalidCommand = Self(rawValue: 0xA1)
  fileprivate static let invalidParameter = Self(rawValue: 0xA2)
  /// The error of AMS for an empty attribute.
  fileprivate static let absentAttribute = Self(rawValue: 0xA2)
}
