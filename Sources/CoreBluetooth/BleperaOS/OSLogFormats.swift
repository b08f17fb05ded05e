import Foundation

/// Whether a value is hidden in the log that Apple's systems keep. Here no log is kept, and no value is hidden.
public enum OSLogPrivacy: Sendable {
  /// Whether Apple's systems hide the value.
  case auto, `public`, `private`, sensitive

  /// The part of a hidden value that Apple's systems keep.
  public enum Mask: Sendable {
    /// A hash, or nothing.
    case hash, none
  }

  /// Apple's systems hide the value, but for a mask.
  public static func `private`(mask: Mask) -> Self { .private }
}

/// The columns of a value.
public enum OSLogStringAlignment: Sendable {
  /// No padding: as many columns as the value has.
  case none
  /// At least that many columns, with spaces after the value.
  case left(columns: Int)
  /// At least that many columns, with spaces before the value.
  case right(columns: Int)

  func text(_ value: String) -> String {
    switch self {
    case .none: value
    case .left(let columns): value + String(repeating: " ", count: max(0, columns - value.count))
    case .right(let columns): String(repeating: " ", count: max(0, columns - value.count)) + value
    }
  }
}

/// The form of an integer.
public struct OSLogIntegerFormatting: Sendable {
  fileprivate var radix = 10
  fileprivate var prefix = ""
  fileprivate var isUppercase = false
  fileprivate var minDigits = 0

  /// Decimal digits.
  public static var decimal: Self { Self() }
  /// Hexadecimal digits.
  public static var hex: Self { .hex() }
  /// Decimal digits, with leading zeros up to a number of digits.
  public static func decimal(minDigits: Int) -> Self { Self(minDigits: minDigits) }
  /// Hexadecimal digits, with leading zeros up to a number of digits, after `0x` if requested.
  public static func hex(includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0) -> Self {
    Self(radix: 16, prefix: includePrefix ? "0x" : "", isUppercase: uppercase, minDigits: minDigits)
  }

  func text(_ number: some FixedWidthInteger) -> String {
    let digits = String(number.magnitude, radix: radix, uppercase: isUppercase)
    return (number < 0 ? "-" : "") + prefix + String(repeating: "0", count: max(0, minDigits - digits.count)) + digits
  }
}

/// The form of a floating-point number.
public struct OSLogFloatFormatting: Sendable {
  fileprivate var precision = 6

  /// Six digits after the point.
  public static var fixed: Self { Self() }
  /// A number of digits after the point.
  public static func fixed(precision: Int) -> Self { Self(precision: precision) }

  func text(_ number: Double) -> String { String(format: "%.*f", max(0, precision), number) }
}
