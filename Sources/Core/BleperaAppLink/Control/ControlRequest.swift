package import BleperaBluetooth

/// A user's request to a running phone: one JSON object on a line.
package struct ControlRequest: Hashable, Sendable {
  package enum Command: String, Hashable, CaseIterable, JSONRaw {
    /// Launches an app that does not run, as the user does by tapping its icon.
    case launch
    case foreground
    case background
    case suspend
    /// Switches the screen off.
    case lock
    case unlock
    case bluetoothOff
    case bluetoothOn
    /// Resets Bluetooth: apps must publish and advertise again.
    case bluetoothReset
    case status
    /// The reply `{}` is followed by a line for each event.
    case events
    /// The user's force quit.
    case quit
    /// Terminates apps as the system does when memory is short.
    case terminate
    /// Ends the phone and leaves its state on disk.
    case shutdown
    case reboot
    /// Removes the preserved state of an app that does not run.
    case forget
    /// Deletes the keys of a device, or of all: "Forget This Device" and "Reset Network Settings".
    case forgetBonds
    /// Answers a pairing in which the phone's user takes part.
    case pair
    /// Sends an update of a characteristic, as if the app had called `updateValue`.
    case notify
    /// Gives the phone a defect, or takes it away.
    case defect
  }

  package var command: Command
  /// A bundle identifier or a name; nil for all apps. For commands that concern apps.
  package var app: String?
  /// For `events`: the bundle identifiers of the apps whose events are sent; nil for all.
  package var apps: [String]?
  /// For `events`: whether they are sent as `{"lines":[...]}`, an `EventText` for each, and not as records.
  package var isText: Bool
  /// For `bluetoothOff`: how Bluetooth is switched off; nil for `settings`.
  package var method: BluetoothSwitch?
  /// For `forgetBonds`: an address or a name; nil for all devices. For `pair`: an address; nil for the only device.
  package var device: String?
  /// For `pair`.
  package var response: PairingResponse?
  /// For `notify`.
  package var characteristic: BluetoothUUID?
  /// For `notify`.
  package var value: [UInt8]?
  /// For `defect`, which `isOn` takes away where it is false.
  package var defect: PhoneDefect?
  package var isOn: Bool?

  package init(
    _ command: Command, app: String? = nil, apps: [String]? = nil, isText: Bool = false, method: BluetoothSwitch? = nil,
    device: String? = nil, response: PairingResponse? = nil, characteristic: BluetoothUUID? = nil,
    value: [UInt8]? = nil, defect: PhoneDefect? = nil, isOn: Bool? = nil
  ) {
    self.command = command
    self.app = app
    self.apps = apps
    self.isText = isText
    self.method = method
    self.device = device
    self.response = response
    self.characteristic = characteristic
    self.value = value
    (self.defect, self.isOn) = (defect, isOn)
  }
}

/// The response to a `ControlRequest`: one JSON object on a line.
package struct ControlReply: Hashable, Sendable {
  /// A whole sentence; nil on success.
  package var error: String?
  /// The result of `status`.
  package var status: PhoneStatus?

  package init(error: String? = nil, status: PhoneStatus? = nil) {
    self.error = error
    self.status = status
  }

  package static let done = ControlReply()
}

extension ControlRequest: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let app = try visitor.optional("app", value?.app)
    let apps = try visitor.optional("apps", value?.apps)
    let characteristic = try visitor.optional("characteristic", value?.characteristic)
    let command = try visitor.field("command", value?.command)
    let device = try visitor.optional("device", value?.device)
    let defect = try visitor.optional("defect", value?.defect)
    let method = try visitor.optional("method", value?.method)
    let isOn = try visitor.optional("on", value?.isOn)
    let response = try visitor.optional("response", value?.response)
    let isText = try visitor.optional("text", value.flatMap { $0.isText ? true : nil })
    return Self(
      command, app: app, apps: apps, isText: isText ?? false, method: method, device: device,
      response: response, characteristic: characteristic, value: try visitor.optional("value", value?.value),
      defect: defect, isOn: isOn)
  }
}

extension BluetoothSwitch: JSONRaw {}
extension PhoneDefect: JSONRaw {}
extension PairingResponse: JSONRaw {}

extension BluetoothUUID: JSONCoded {
  package static var note: JSONTree {
    ["pattern": "^([0-9A-F]{4}|[0-9A-F]{8}|[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12})$"]
  }
}

extension ControlReply: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    Self(error: try visitor.optional("error", value?.error), status: try visitor.optional("status", value?.status))
  }
}

extension PhoneStatus: JSONCoded {}

/// Events for a client of the control socket that prints them.
struct EventLines: Hashable, JSONObject {
  var lines: [EventText] = []

  static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    Self(lines: try visitor.field("lines", value?.lines))
  }
}
