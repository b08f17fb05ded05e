package import BleperaBluetooth

/// A key of an event as a JSON object, in the order in which keys are written.
package enum EventKey: UInt8, CaseIterable, Sendable {
  case acknowledged, adapter, advertisingData, app, awaitedSubscriptions
  case blepera
  case cached, capture, central, centrals, characteristic, command, count
  case descriptor
  case encrypted, error, event
  case handles, host
  case interval, intervalHonored, intervalKind
  case limit, localName
  case method
  case offset, overflowServiceUUIDs
  case passkey, pendingEvent, peripheral, peripherals, phone, piece, pieces, preservedSince, psm
  case reason, reasons, received, responseMilliseconds, rule
  case scanResponse, screenLocked, sent, service, serviceUUIDs, side, state, subscriptions
  case time
  case value, version

  /// The names of the cases.
  private static let names = allCases.map { "\($0)" }
  private static let keys = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
  private static let forms = allCases.map(\.content.form)

  package var name: String { Self.names[Int(rawValue)] }
  var form: EventValue.Form { Self.forms[Int(rawValue)] }

  init?(_ name: String) {
    guard let key = Self.keys[name] else { return nil }
    self = key
  }
}

extension EventKey {
  /// The form of a key's values, and the schema's note on the key (`JSONVisitor.note`).
  var content: (form: EventValue.Form, note: JSONTree) {
    switch self {
    case .acknowledged: (.flag, "False for a write that the phone sends no response to.")
    case .adapter: (.text, [:])
    case .advertisingData: (.bytes, "The advertisement that the radio sends, at most 31 bytes.")
    case .app: (.text, "A bundle identifier; also of the app that owns the characteristic.")
    case .awaitedSubscriptions: (.number, "How many restored subscriptions are awaited.")
    case .blepera: (.text, "The version of blepera.")
    case .cached: (.flag, "Whether the phone responds for the app.")
    case .capture: (.text, "The file with the host's packets, where there is one.")
    case .central: (.text, "An address.")
    case .centrals: (.texts, "Addresses.")
    case .characteristic, .descriptor, .service: (.uuid, [:])
    case .command:
      (.text, ["enum": .values(ControlRequest.Command.allCases), "description": "The user's command."])
    case .count:
      (
        .number,
        [
          "minimum": 1,
          "description": "How many events were not written, because nobody read the output, or the disk was full.",
        ]
      )
    case .encrypted: (.flag, "Whether a central has to be paired.")
    case .error: (.error, "The ATT error that a central received.")
    case .event: (.text, "The kind of the event.")
    case .handles:
      (.numbers, ["minItems": 2, "maxItems": 2, "description": "The first and last handle of a service."])
    case .host: (.text, "The transport, as Bumble names it.")
    case .interval: (.interval, "In milliseconds.")
    case .intervalHonored: (.flag, "Whether the radio applies the interval; absent where it does not report that.")
    case .intervalKind: (.text, ["enum": ["foreground", "background"]])
    case .limit:
      (
        .number,
        ["minimum": 1, "description": "How many bytes of the value a central gets that does not get all: the fewest."]
      )
    case .localName: (.text, [:])
    case .method:
      (.text, ["enum": .values(BluetoothSwitch.allCases), "description": "How Bluetooth was switched off."])
    case .offset: (.number, [:])
    case .overflowServiceUUIDs: (.uuids, "The UUIDs in the overflow area.")
    case .passkey: (.text, ["pattern": #"^\d{6}$"#])
    case .pendingEvent: (.text, "`subscribed`, `unsubscribed`, or the callback of a central manager's delegate.")
    case .peripheral: (.text, "The peripheral's address.")
    case .peripherals: (.texts, "The addresses of the peripherals that the app is connected to or waits for.")
    case .phone: (.text, "The name of the phone or accessory, in a lab.")
    case .piece: (.number, "The place of the write, from 1, among the pieces that succeed or fail together.")
    case .pieces: (.number, "How many pieces there are.")
    case .preservedSince:
      (
        .text,
        [
          "pattern": #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"#,
          "description": """
          Since when the app's state is kept; absent where an app that was launched again on the phone has received it.
          """,
        ]
      )
    case .psm: (.number, "The number of the L2CAP channel.")
    case .reason: (.text, [:])
    case .reasons: (.texts, "The parts that were moved, shortened, dropped or withheld, each with its rule.")
    case .received: (.number, "The bytes that the app has received.")
    case .responseMilliseconds: (.number, "From the request to the response; absent where the phone responds at once.")
    case .rule: (.text, ["pattern": #"^R\d+$"#, "description": "The rule that caused the event."])
    case .scanResponse: (.bytes, "The scan response that the radio sends, at most 31 bytes.")
    case .screenLocked: (.flag, "The screen is off, as before the phone's restart; without an app.")
    case .sent: (.number, "The bytes that the app has sent.")
    case .serviceUUIDs: (.uuids, [:])
    case .side: (.text, "Where a simulated central or accessory reports events too.")
    case .state: (.text, ["enum": .values(AppState.allCases), "description": "An app's execution state."])
    case .subscriptions: (.number, "The number of the peripherals' characteristics that the app is subscribed to.")
    case .time: (.text, ["pattern": #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#, "description": "RFC 3339, UTC."])
    case .value: (.bytes, [:])
    case .version: (.number, "The version of the format.")
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
  enum Form {
    case flag, number, numbers, text, texts, uuid, uuids, bytes, error, interval

    /// The schema's note on the form.
    var note: JSONTree {
      self == .bytes ? ["pattern": "^([0-9A-F]{2})*$", "description": "Hexadecimal digits."] : [:]
    }
  }

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
