/// What `blepera status` shows of a running system. The keys are part of the interface; README lists them.
public struct SystemStatus: Hashable, Codable, Sendable {
  /// The major number of the rule set's iOS.
  public var ios: Int
  /// Nil while there is none.
  public var adapter: String?
  /// bluetoothd's version, such as `5.66`; nil where it is not known.
  public var bluez: String?
  /// `poweredOn`, `poweredOff`, `noAdapter`, `noDaemon` or `unknown`.
  public var radio: String
  public var screenLocked: Bool
  public var apps: [App]
  public var air: Air
  public var subscribers: [Subscriber]
  /// What of the rules this machine cannot do, each with what to do about it.
  public var warnings: [String]

  public init(
    ios: Int, adapter: String?, bluez: String? = nil, radio: String, screenLocked: Bool, apps: [App], air: Air,
    subscribers: [Subscriber], warnings: [String]
  ) {
    self.ios = ios
    self.adapter = adapter
    self.bluez = bluez
    self.radio = radio
    self.screenLocked = screenLocked
    self.apps = apps
    self.air = air
    self.subscribers = subscribers
    self.warnings = warnings
  }
}
