/// An AD structure of an advertisement or scan response (Core Specification, Vol 3, Part C, 11; Supplement, Part A).
///
/// The payload is truncated to 254 bytes, the maximum of its length byte, after a whole UUID or character.
public enum ADStructure: Hashable, Sendable {
  /// The Flags.
  case flags(ADFlags)
  /// `complete` means that the device has no other service of this width.
  case serviceUUIDs(UUIDList, complete: Bool)
  /// The beginning of the local name.
  case shortenedLocalName(String)
  /// The whole local name.
  case completeLocalName(String)
  /// In dBm.
  case txPowerLevel(Int8)
  /// The services that the device asks a central for.
  case serviceSolicitation(UUIDList)
  /// Data of a service, with the service's UUID.
  case serviceData(BluetoothUUID, data: [UInt8])
  /// A value of Assigned Numbers, 2.6.
  case appearance(UInt16)
  /// Data of a company, with its assigned number.
  case manufacturerData(companyIdentifier: UInt16, data: [UInt8])
  /// A structure whose type has no case here, or whose payload does not have the form of its type.
  case other(type: UInt8, data: [UInt8])

  /// The header: a length byte, which counts the type and the payload, and the type.
  public static let headerLength = 2
  /// The longest payload, in bytes.
  public static let maximumPayloadLength = 254

  /// Interprets the AD type and the payload without loss: `type` and `payload` return both.
  public init(type: UInt8, payload: [UInt8]) {
    self = Self.known(type, payload) ?? .other(type: type, data: payload)
  }

  private static func known(_ type: UInt8, _ payload: [UInt8]) -> ADStructure? {
    switch type {
    case ADType.flags:
      guard payload.count == 1 else { return nil }
      return .flags(ADFlags(rawValue: payload[0]))
    case ADType.shortenedLocalName:
      return String(validating: payload, as: UTF8.self).map { .shortenedLocalName($0) }
    case ADType.completeLocalName:
      return String(validating: payload, as: UTF8.self).map { .completeLocalName($0) }
    case ADType.txPowerLevel:
      guard payload.count == 1 else { return nil }
      return .txPowerLevel(Int8(bitPattern: payload[0]))
    case ADType.appearance:
      guard payload.count == 2 else { return nil }
      return .appearance(LittleEndian.number(payload))
    case ADType.manufacturerData:
      guard payload.count >= 2 else { return nil }
      return .manufacturerData(companyIdentifier: LittleEndian.number(payload[..<2]), data: Array(payload[2...]))
    default:
      return withUUIDs(type, payload)
    }
  }

  private static func withUUIDs(_ type: UInt8, _ payload: [UInt8]) -> ADStructure? {
    for width in BluetoothUUID.Width.allCases {
      switch type {
      case ADType.serviceUUIDs(width, complete: true):
        return UUIDList(littleEndian: payload, width: width).map { .serviceUUIDs($0, complete: true) }
      case ADType.serviceUUIDs(width, complete: false):
        return UUIDList(littleEndian: payload, width: width).map { .serviceUUIDs($0, complete: false) }
      case ADType.serviceSolicitation(width):
        return UUIDList(littleEndian: payload, width: width).map { .serviceSolicitation($0) }
      case ADType.serviceData(width):
        let uuid = payload.count < width.rawValue ? nil : BluetoothUUID(littleEndian: payload.prefix(width.rawValue))
        return uuid.map { .serviceData($0, data: Array(payload.dropFirst(width.rawValue))) }
      default: continue
      }
    }
    return nil
  }
}

extension ADStructure {
  /// The AD type.
  public var type: UInt8 {
    switch self {
    case .flags: ADType.flags
    case .serviceUUIDs(let list, let complete): ADType.serviceUUIDs(list.width, complete: complete)
    case .shortenedLocalName: ADType.shortenedLocalName
    case .completeLocalName: ADType.completeLocalName
    case .txPowerLevel: ADType.txPowerLevel
    case .serviceSolicitation(let list): ADType.serviceSolicitation(list.width)
    case .serviceData(let uuid, _): ADType.serviceData(uuid.width)
    case .appearance: ADType.appearance
    case .manufacturerData: ADType.manufacturerData
    case .other(let type, _): type
    }
  }

  /// The bytes after the type, 0 to 254.
  public var payload: [UInt8] {
    switch self {
    case .flags(let flags): [flags.rawValue]
    case .serviceUUIDs(let list, _), .serviceSolicitation(let list): Self.cut(list)
    case .shortenedLocalName(let name), .completeLocalName(let name):
      Array(LocalName.shortened(name, to: Self.maximumPayloadLength).utf8)
    case .txPowerLevel(let level): [UInt8(bitPattern: level)]
    case .serviceData(let uuid, let data): Self.cut(uuid.littleEndianBytes, data)
    case .appearance(let value): Self.littleEndian(value)
    case .manufacturerData(let company, let data): Self.cut(Self.littleEndian(company), data)
    case .other(_, let data): Self.cut([], data)
    }
  }

  /// The bytes of the structure on the air.
  public var bytes: [UInt8] {
    let payload = payload
    return [UInt8(truncatingIfNeeded: payload.count + 1), type] + payload
  }

  /// The local name, whole or shortened.
  package var localName: String? {
    switch self {
    case .shortenedLocalName(let name), .completeLocalName(let name): name
    default: nil
    }
  }

  /// The length in bytes, including the header.
  public var length: Int { Self.headerLength + payload.count }

  private static func littleEndian(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  private static func cut(_ head: [UInt8], _ data: [UInt8]) -> [UInt8] {
    Array((head + data).prefix(maximumPayloadLength))
  }

  private static func cut(_ list: UUIDList) -> [UInt8] {
    let size = list.width.rawValue
    return Array(list.bytes.prefix(maximumPayloadLength / size * size))
  }
}

/// The AD types that blepera knows by name (Assigned Numbers, 2.3).
public enum ADType {
  /// Flags.
  public static let flags: UInt8 = 0x01
  /// Shortened Local Name.
  public static let shortenedLocalName: UInt8 = 0x08
  /// Complete Local Name.
  public static let completeLocalName: UInt8 = 0x09
  /// TX Power Level, in dBm.
  public static let txPowerLevel: UInt8 = 0x0A
  /// Appearance.
  public static let appearance: UInt8 = 0x19
  /// Manufacturer Specific Data.
  public static let manufacturerData: UInt8 = 0xFF

  /// The type of a list of service UUIDs; `complete` means that the list omits no service of this width.
  public static func serviceUUIDs(_ width: BluetoothUUID.Width, complete: Bool) -> UInt8 {
    switch width {
    case .bits16: complete ? 0x03 : 0x02
    case .bits32: complete ? 0x05 : 0x04
    case .bits128: complete ? 0x07 : 0x06
    }
  }

  /// The type of a list of services that the device looks for in its centrals.
  public static func serviceSolicitation(_ width: BluetoothUUID.Width) -> UInt8 {
    switch width {
    case .bits16: 0x14
    case .bits32: 0x1F
    case .bits128: 0x15
    }
  }

  /// The type of data that belongs to a service whose UUID precedes it.
  public static func serviceData(_ width: BluetoothUUID.Width) -> UInt8 {
    switch width {
    case .bits16: 0x16
    case .bits32: 0x20
    case .bits128: 0x21
    }
  }
}

/// The Flags of an advertisement (Core Specification Supplement, Part A, 1.3).
public struct ADFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// LE Limited Discoverable Mode.
  public static let limitedDiscoverable = Self(rawValue: 0x01)
  /// LE General Discoverable Mode.
  public static let generalDiscoverable = Self(rawValue: 0x02)
  /// The device has no BR/EDR, or has it switched off.
  public static let brEdrNotSupported = Self(rawValue: 0x04)
  /// Simultaneous LE and BR/EDR in the controller.
  public static let simultaneousController = Self(rawValue: 0x08)
  /// Newer editions of the specification no longer define this flag; iPhones send it.
  public static let simultaneousHost = Self(rawValue: 0x10)

  /// 0x1A, as in every capture of an iPhone.
  public static let iPhone: Self = [.generalDiscoverable, .simultaneousController, .simultaneousHost]
}
