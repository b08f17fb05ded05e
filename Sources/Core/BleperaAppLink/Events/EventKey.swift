package import BleperaBluetooth

/// A key of an event as a JSON object, in the order in which keys are written.
package enum EventKey: UInt8, CaseIterable, Sendable {
  case acknowledged, adapter, advertisingData, app, awaitedSubscriptions
  case blepera
  case cached, capture, central, centrals, characteristic, command, count
  case defect, descriptor
  case encrypted, error, event
  case handles, host
  case interval, intervalHonored, intervalKind
  case limit, localName
  case method
  case offset, on, overflowServiceUUIDs
  case passkey, pendingEvent, peripheral, peripherals, phone, piece, pieces, preservedSince, psm
  case reason, reasons, received, responseMilliseconds, rule
  case scanResponse, screenLocked, sent, service, serviceUUIDs, side, state, subscriptions
  case time
  case value, version

  /// The names of the cases.
  private static let names = allCases.map { "\($0)" }
  private static let keys = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  package var name: String { Self.names[Int(rawValue)] }

  init?(_ name: String) {
    guard let key = Self.keys[name] else { return nil }
    self = key
  }
}

extension EventKey {
  /// The form of a key's values.
  var form: EventValue.Form {
    switch self {
    case .acknowledged, .cached, .encrypted, .intervalHonored, .on, .screenLocked: .flag
    case .awaitedSubscriptions, .count, .limit, .offset, .piece, .pieces, .psm, .received, .responseMilliseconds,
      .sent, .subscriptions, .version:
      .number
    case .handles: .numbers
    case .adapter, .app, .blepera, .capture, .central, .command, .defect, .event, .host, .intervalKind, .localName,
      .method,
      .passkey, .pendingEvent, .peripheral, .phone, .preservedSince, .reason, .rule, .side, .state, .time:
      .text
    case .centrals, .peripherals, .reasons: .texts
    case .characteristic, .descriptor, .service: .uuid
    case .overflowServiceUUIDs, .serviceUUIDs: .uuids
    case .advertisingData, .scanResponse, .value: .bytes
    case .error: .error
    case .interval: .interval
    }
  }
}

/// The value of a key of an event; a UUID and bytes are written as text, bytes as hexadecimal digits.
package enum EventValue: Hashable, Sendable {
  case flag(Bool)
  case number(Int)
  case numbers([Int])
  case text(String)
  case texts([String])
  case uuid(BluetoothUUID)
  case bytes([UInt8])
  case error(ATTError)
  case interval(Interval)

  /// In milliseconds.
  package struct Interval: Hashable, JSONCoded {
    package var minimum: Double
    package var maximum: Double

    package init(minimum: Double, maximum: Double) {
      self.minimum = minimum
      self.maximum = maximum
    }
  }

  /// The form of a key's values; a text of `uuids` is a UUID.
  enum Form { case flag, number, numbers, text, texts, uuid, uuids, bytes, error, interval }

  struct Failure: JSONObject {
    let code: UInt8
    let name: String?

    static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
      Self(code: try visitor.field("code", value?.code), name: try visitor.optional("name", value?.name))
    }
  }
}

extension EventValue {
  init(as form: Form, reading reader: inout JSONObjectReader) throws(JSONLine.Fault) {
    switch form {
    case .flag: self = .flag(try reader.flag(nil))
    case .number: self = .number(try reader.number(nil))
    case .numbers: self = .numbers(try reader.list(nil))
    case .text: self = .text(try reader.text(nil))
    case .texts, .uuids: self = .texts(try reader.list(nil))
    case .uuid:
      let text = try reader.text(nil)
      guard let uuid = BluetoothUUID(text) else { throw JSONLine.Fault("'\(text)' is not a UUID") }
      self = .uuid(uuid)
    case .bytes:
      guard let bytes = Hex.bytes(try reader.text(nil)) else { throw JSONLine.Fault("expected hexadecimal digits") }
      self = .bytes(bytes)
    case .error: self = .error(ATTError(rawValue: try reader.object(nil as Failure?).code))
    case .interval: self = .interval(try reader.coded(nil))
    }
  }

  func write(to writer: inout JSONObjectWriter) {
    switch self {
    case .flag(let flag): _ = writer.flag(flag)
    case .number(let number): _ = writer.number(number)
    case .numbers(let numbers): _ = writer.list(numbers)
    case .text(let text): _ = writer.text(text)
    case .texts(let texts): _ = writer.list(texts)
    case .uuid(let uuid): _ = writer.text("\(uuid)")
    case .bytes(let bytes): _ = writer.text(Hex.string(bytes))
    case .error(let error): _ = writer.object(Failure(code: error.rawValue, name: error.name))
    case .interval(let interval): _ = writer.coded(interval)
    }
  }
}
