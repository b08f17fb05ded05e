package import BleperaBluetooth

/// A key of an event as a JSON object, in the order in which keys are written. docs/schema/event.json describes them.
package enum EventKey: UInt8, CaseIterable, Sendable {
  /// False for a write that the phone sends no response to.
  case acknowledged
  case adapter
  /// The packets of an iPhone, 31 bytes each at most.
  case advertisingData
  /// A bundle identifier; also of the app that owns the characteristic.
  case app
  /// How many restored subscriptions are awaited.
  case awaitedSubscriptions
  /// The version of blepera; only of `started`.
  case blepera
  case cached
  /// The file with the packets of a host outside the air.
  case capture
  case central, centrals, characteristic
  /// What the user requested.
  case command
  /// How many events were not written, because nobody read the output, or the disk was full.
  case count
  case descriptor
  /// Whether the channel requires that the central is paired.
  case encrypted
  /// The ATT error that a central received.
  case error
  case event
  /// The first and last handle of a service.
  case handles
  /// Where a host outside the air attaches, as Bumble names a transport.
  case host
  case interval
  /// Whether the radio applies the interval; absent where it does not report that.
  case intervalHonored
  /// `foreground` or `background`.
  case intervalKind
  /// The fewest bytes of an update that one of its centrals receives, where that is not all of them.
  case limit
  case localName
  /// How Bluetooth was switched off.
  case method
  case offset
  /// Service UUIDs in the overflow area.
  case overflowServiceUUIDs
  case passkey
  /// The callback that is queued for an app, or was dropped.
  case pendingEvent
  /// The address of a peripheral.
  case peripheral
  /// The addresses of peripherals.
  case peripherals
  /// The name of the phone, in a lab.
  case phone
  /// The place of a write, from 1, among the `pieces` that succeed or fail together; absent for any other write.
  case piece, pieces
  /// Since when the phone has kept an app's state: RFC 3339, UTC, in whole seconds.
  case preservedSince
  /// The number of an L2CAP channel.
  case psm
  case reason
  /// What was moved, shortened, dropped or withheld, each with its rule.
  case reasons
  /// The bytes that the app has received over a channel.
  case received
  /// From the request to the response; absent where the phone responds at once.
  case responseMilliseconds
  /// The rule that caused the event, such as `R4`.
  case rule
  case scanResponse
  /// Whether the screen was off when the phone's process was replaced.
  case screenLocked
  /// The bytes that the app has sent over a channel.
  case sent
  case service, serviceUUIDs
  /// `phone` where a simulated central reports events too.
  case side
  /// An app's execution state.
  case state
  /// The number of characteristics of peripherals that an app is subscribed to.
  case subscriptions
  /// RFC 3339, UTC.
  case time
  case value
  /// The version of the format; only of `started`.
  case version

  /// The names of the cases.
  private static let names = allCases.map { "\($0)" }
  private static let keys = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  var name: String { Self.names[Int(rawValue)] }

  init?(_ name: String) {
    guard let key = Self.keys[name] else { return nil }
    self = key
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

  private struct Failure: Encodable, JSONObject {
    let code: UInt8
    let name: String?

    static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
      Self(code: try visitor.field("code", value?.code), name: try visitor.optional("name", value?.name))
    }
  }
}

extension EventValue {
  init(of key: EventKey, reading reader: inout JSONObjectReader) throws(JSONLine.Fault) {
    switch key {
    case .acknowledged, .cached, .encrypted, .intervalHonored, .screenLocked: self = .flag(try reader.flag(nil))
    case .awaitedSubscriptions, .count, .limit, .offset, .piece, .pieces, .psm, .received, .responseMilliseconds, .sent,
      .subscriptions, .version:
      self = .number(try reader.number(nil))
    case .handles: self = .numbers(try reader.list(nil))
    case .adapter, .app, .blepera, .capture, .central, .command, .event, .host, .intervalKind, .localName, .method,
      .passkey,
      .pendingEvent, .peripheral, .phone, .preservedSince, .reason, .rule, .side, .state, .time:
      self = .text(try reader.text(nil))
    case .centrals, .overflowServiceUUIDs, .peripherals, .reasons, .serviceUUIDs: self = .texts(try reader.list(nil))
    case .characteristic, .descriptor, .service:
      let text = try reader.text(nil)
      guard let uuid = BluetoothUUID(text) else { throw JSONLine.Fault("'\(text)' is not a UUID") }
      self = .uuid(uuid)
    case .advertisingData, .scanResponse, .value:
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

extension EventValue: Encodable {
  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .flag(let flag): try flag.encode(to: encoder)
    case .number(let number): try number.encode(to: encoder)
    case .numbers(let numbers): try numbers.encode(to: encoder)
    case .text(let text): try text.encode(to: encoder)
    case .texts(let texts): try texts.encode(to: encoder)
    case .uuid(let uuid): try uuid.encode(to: encoder)
    case .bytes(let bytes): try Hex.string(bytes).encode(to: encoder)
    case .error(let error): try Failure(code: error.rawValue, name: error.name).encode(to: encoder)
    case .interval(let interval): try interval.encode(to: encoder)
    }
  }
}
