import BleperaBluetooth

@testable import BleperaAppLink

extension EventKey {
  /// The schema's note on the key (`JSONVisitor.note`).
  var note: JSONTree {
    switch self {
    case .acknowledged: "False for a write that the phone sends no response to."
    case .advertisingData: "The advertisement that the radio sends, at most 31 bytes."
    case .app: "A bundle identifier; also of the app that owns the characteristic."
    case .awaitedSubscriptions: "How many restored subscriptions are awaited."
    case .blepera: "The version of blepera."
    case .cached: "Whether the phone responds for the app."
    case .capture: "The file with the host's packets, where there is one."
    case .central: "An address."
    case .centrals: "Addresses."
    case .command: ["enum": .values(ControlRequest.Command.allCases), "description": "The user's command."]
    case .count:
      [
        "minimum": 1,
        "description": "How many events were not written, because nobody read the output, or the disk was full.",
      ]
    case .defect: ["enum": .values(PhoneDefect.allCases)]
    case .encrypted: "Whether a central has to be paired."
    case .error: "The ATT error that a central received."
    case .event: "The kind of the event."
    case .handles: ["minItems": 2, "maxItems": 2, "description": "The first and last handle of a service."]
    case .host: "The transport, as Bumble names it."
    case .interval: "In milliseconds."
    case .intervalHonored: "Whether the radio applies the interval; absent where it does not report that."
    case .intervalKind: ["enum": ["foreground", "background"]]
    case .limit:
      ["minimum": 1, "description": "How many bytes of the value a central gets that does not get all: the fewest."]
    case .method: ["enum": .values(BluetoothSwitch.allCases), "description": "How Bluetooth was switched off."]
    case .on: "False where the phone has the defect no longer."
    case .overflowServiceUUIDs: "The UUIDs in the overflow area."
    case .passkey: ["pattern": #"^\d{6}$"#]
    case .pendingEvent: "`subscribed`, `unsubscribed`, or the callback of a central manager's delegate."
    case .peripheral: "The peripheral's address."
    case .peripherals: "The addresses of the peripherals that the app is connected to or waits for."
    case .phone: "The name of the phone or accessory, in a lab."
    case .piece: "The place of the write, from 1, among the pieces that succeed or fail together."
    case .pieces: "How many pieces there are."
    case .preservedSince:
      [
        "pattern": #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"#,
        "description": """
        Since when the app's state is kept; absent where an app that was launched again on the phone has received it.
        """,
      ]
    case .psm: "The number of the L2CAP channel."
    case .reasons: "The parts that were moved, shortened, dropped or withheld, each with its rule."
    case .received: "The bytes that the app has received."
    case .responseMilliseconds: "From the request to the response; absent where the phone responds at once."
    case .rule: ["pattern": #"^R\d+$"#, "description": "The rule that caused the event."]
    case .scanResponse: "The scan response that the radio sends, at most 31 bytes."
    case .screenLocked: "The screen is off, as before the phone's restart; without an app."
    case .sent: "The bytes that the app has sent."
    case .side: "Where a simulated central or accessory reports events too."
    case .state: ["enum": .values(AppState.allCases), "description": "An app's execution state."]
    case .subscriptions: "The number of the peripherals' characteristics that the app is subscribed to."
    case .time: ["pattern": #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#, "description": "RFC 3339, UTC."]
    case .version: "The version of the format."
    case .adapter, .characteristic, .descriptor, .service, .localName, .offset, .reason, .serviceUUIDs, .value: [:]
    }
  }
}

extension EventValue.Form {
  /// The schema's note on the form.
  var note: JSONTree {
    self == .bytes ? ["pattern": "^([0-9A-F]{2})*$", "description": "Hexadecimal digits."] : [:]
  }
}

extension EventRecord.Kind {
  /// The schema's note on a key in events of this kind alone.
  func note(on key: EventKey) -> JSONTree {
    switch (self, key) {
    case (.restored, .state):
      ["const": "suspended", "description": "The app stays suspended, if its process still runs."]
    case (.noDaemon, .reason): "The known crashes of bluetoothd that may have ended it."
    case (.writeDropped, .reason): "Why the write without response is not sent."
    default: [:]
    }
  }
}
