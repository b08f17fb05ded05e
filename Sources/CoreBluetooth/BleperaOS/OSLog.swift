// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import Glibc

/// A log. A message is a line on standard error, with the subsystem, the category and the level.
public final class OSLog: Sendable {
  /// The log without a subsystem.
  public static let `default` = OSLog("")
  /// The log that drops all messages.
  public static let disabled = OSLog(nil)

  /// The start of each line, such as `[org.example.app:bluetooth] `; nil for the disabled log.
  private let prefix: String?
  private init(_ prefix: String?) { self.prefix = prefix }

  /// A log of a subsystem, such as `org.example.app`, and of one of its categories.
  public convenience init(subsystem: String, category: String) { self.init("[\(subsystem):\(category)] ") }

  /// Whether messages of a level are written: all are, unless the log is disabled.
  public func isEnabled(type: OSLogType) -> Bool { prefix != nil }

  func write(_ message: @autoclosure () -> String, _ type: OSLogType) {
    guard let prefix else { return }
    let bytes = Array("\(prefix)\(type.label)\(message())\n".utf8)
    unsafe bytes.withUnsafeBytes { bytes in _ = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }
}

/// The level of a message.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The levels of notices, of messages that may help, and of messages for developers.
  public static let `default` = Self(rawValue: 0), info = Self(rawValue: 1), debug = Self(rawValue: 2)
  /// The level of errors, and of bugs.
  public static let error = Self(rawValue: 0x10), fault = Self(rawValue: 0x11)

  fileprivate var label: String {
    [.info: "info: ", .debug: "debug: ", .error: "error: ", .fault: "fault: "][self] ?? ""
  }
}

/// Writes a message whose format is as of `String(format:)`; attributes of a value, such as `{public}`, have no effect.
public func os_log(_ message: StaticString, log: OSLog = .default, type: OSLogType = .default, _ args: any CVarArg...) {
  log.write(text("\(message)", args), type)
}

/// Writes a message whose format is as of `String(format:)`; attributes of a value, such as `{public}`, have no effect.
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: StaticString, _ args: any CVarArg...) {
  log.write(text("\(message)", args), type)
}

/// Writes a message to the default log.
public func os_log(_ message: OSLogMessage) { os_log(.default, message) }
/// Writes a message.
public func os_log(_ logLevel: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
  log.write(message.text, logLevel)
}

/// Formats each directive alone, so that a missing value, or a value of another type, affects only its own directive.
private func text(_ format: String, _ arguments: [any CVarArg]) -> String {
  var (text, rest, arguments) = ("", format[...], arguments[...])
  while let start = rest.firstIndex(of: "%") {
    text += rest[..<start]
    rest = rest[start...].dropFirst()
    if rest.first == "{", let end = rest.firstIndex(of: "}") { rest = rest[end...].dropFirst() }
    guard rest.first != "%", let end = rest.firstIndex(where: { "@dDiuUxXoOfFeEgGaAcCsSp".contains($0) }) else {
      text += "%"
      if rest.first == "%" { rest = rest.dropFirst() }
      continue
    }
    let directive = rest[...end]
    rest = rest[end...].dropFirst()
    let count = directive.count { $0 == "*" } + 1
    text += arguments.count < count ? "<missing>" : value("%\(directive)", Array(arguments.prefix(count)))
    arguments = arguments.dropFirst(count)
  }
  return text + rest
}

private func value(_ directive: String, _ values: [any CVarArg]) -> String {
  let value = values[values.count - 1]
  if let bytes = unsafe value as? UnsafePointer<CChar> { return unsafe String(cString: bytes) }
  let isNumber = value is any Numeric && !directive.hasSuffix("@") && !directive.lowercased().hasSuffix("s")
  return isNumber ? String(format: directive, arguments: values) : "\(value)"
}
