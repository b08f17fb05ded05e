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
