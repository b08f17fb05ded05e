@_exported public import BleperaAppleNames

/// Writes interpolated messages to a log.
public struct Logger: Sendable {
  private let log: OSLog

  /// A logger of the default log.
  public init() { log = .default }
  /// A logger of a log.
  public init(_ logObj: OSLog) { log = logObj }
  /// A logger of a subsystem, such as `org.example.app`, and of one of its categories.
  public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

  /// Writes a message of a level.
  public func log(level: OSLogType, _ message: OSLogMessage) { log.write(message.text, level) }
  /// Writes a message of the default level.
  public func log(_ message: OSLogMessage) { log(level: .default, message) }
  /// Writes a message of the level `debug`.
  public func trace(_ message: OSLogMessage) { log(level: .debug, message) }
  /// Writes a message of the level `debug`.
  public func debug(_ message: OSLogMessage) { log(level: .debug, message) }
  /// Writes a message of the level `info`.
  public func info(_ message: OSLogMessage) { log(level: .info, message) }
  /// Writes a message of the default level.
  public func notice(_ message: OSLogMessage) { log(level: .default, message) }
  /// Writes a message of the level `error`.
  public func warning(_ message: OSLogMessage) { log(level: .error, message) }
  /// Writes a message of the level `error`.
  public func error(_ message: OSLogMessage) { log(level: .error, message) }
  /// Writes a message of the level `fault`.
  public func critical(_ message: OSLogMessage) { log(level: .fault, message) }
  /// Writes a message of the level `fault`.
  public func fault(_ message: OSLogMessage) { log(level: .fault, message) }
}

/// A message: a string literal, in which values have a form, an alignment and a privacy.
public struct OSLogMessage: ExpressibleByStringInterpolation {
  let text: String

  public init(stringLiteral value: String) { text = value }
  public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// The text of a message, which has every value, whatever the value's privacy.
public struct OSLogInterpolation: StringInterpolationProtocol {
  private(set) var text = ""

  public init(literalCapacity: Int, interpolationCount: Int) {}
  public mutating func appendLiteral(_ literal: String) { text += literal }

  /// Appends an integer.
  public mutating func appendInterpolation<Number: FixedWidthInteger>(
    _ number: Number, format: OSLogIntegerFormatting = .decimal, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    text += align.text(format.text(number))
  }

  /// Appends a floating-point number, with six digits after the point.
  public mutating func appendInterpolation<Number: BinaryFloatingPoint>(
    _ number: Number, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    text += align.text(format.text(Double(number)))
  }

  /// Appends a value's description.
  @_disfavoredOverload
  public mutating func appendInterpolation<Value: CustomStringConvertible>(
    _ value: Value, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
  ) {
    text += align.text(value.description)
  }

  /// Appends a type's name.
  public mutating func appendInterpolation(_ value: any Any.Type, privacy: OSLogPrivacy = .auto) { text += "\(value)" }
  /// Appends an error.
  public mutating func appendInterpolation(_ error: any Error, privacy: OSLogPrivacy = .auto) { text += "\(error)" }
}
