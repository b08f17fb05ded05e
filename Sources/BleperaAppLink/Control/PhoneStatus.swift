public import BleperaBluetooth

/// What `blepera status` shows of a running phone. docs/schema/status.json describes the keys.
public struct PhoneStatus: Hashable, Codable, Sendable {
  /// The version of the format that this blepera writes.
  public static let currentVersion = 2

  public var version = currentVersion
  /// The major number of the emulated iOS.
  public var ios: Int
  /// Nil while there is no adapter.
  public var adapter: String?
  /// bluetoothd's version, such as `5.66`; nil where it is unknown.
  public var bluez: String?
  public var radio: Radio
  /// Nil without an adapter, and over BlueZ.
  public var address: Address?
  public var screenLocked: Bool
  /// The folder of the preserved state; nil where the state is in memory only.
  public var stateFolder: String?
  public var apps: [App]
  public var air: Air
  public var subscribers: [Subscriber]
  /// The published L2CAP channels; nil where there are none.
  public var channels: [Channel]?
  /// What an iPhone does and the radio cannot do; empty on the virtual radio.
  public var limitations: [RadioLimitation]
  /// Problems that the user should act upon, each with advice.
  public var warnings: [String]

  public enum Radio: String, Hashable, Codable, CaseIterable, Sendable {
    case unknown, noDaemon, noAdapter, poweredOff, poweredOn
  }

  public init(
    ios: Int, adapter: String?, bluez: String? = nil, radio: Radio, address: Address? = nil, screenLocked: Bool,
    stateFolder: String? = nil, apps: [App], air: Air, subscribers: [Subscriber],
    channels: [Channel]? = nil, limitations: [RadioLimitation] = [], warnings: [String]
  ) {
    self.ios = ios
    self.adapter = adapter
    self.bluez = bluez
    self.radio = radio
    self.address = address
    self.screenLocked = screenLocked
    self.stateFolder = stateFolder
    self.apps = apps
    self.air = air
    self.subscribers = subscribers
    self.channels = channels
    self.limitations = limitations
    self.warnings = warnings
  }
}

extension PhoneStatus {
  /// The phone's address on the air.
  public struct Address: Hashable, Codable, Sendable {
    /// The address under which the phone advertises: `5A:01:02:03:04:05`.
    public var current: String
    /// The address that bonded centrals know.
    public var identity: String
    /// The identity resolving key, 32 hexadecimal digits, the most significant first; nil where `current` is public.
    public var irk: String?
    /// The same bytes, the least significant first.
    public var irkReversed: String?

    public init(current: String, identity: String, irk: IdentityResolvingKey? = nil) {
      self.current = current
      self.identity = identity
      (self.irk, irkReversed) = (irk?.description, irk?.reversedDescription)
    }
  }

  /// An app of the phone.
  public struct App: Hashable, Codable, Sendable {
    public var identifier: String
    public var name: String
    public var state: AppState
    /// Whether `UIBackgroundModes` has `bluetooth-peripheral`.
    public var backgroundMode: Bool
    /// Seconds until the app is suspended; nil while it has no limit.
    public var secondsLeft: Double?
    /// Seconds until the app may be woken again; nil where it may be.
    public var throttledSeconds: Double?
    /// The number of events queued for the app.
    public var queuedEvents: Int
    /// The number of events dropped because the queue was full.
    public var droppedEvents: Int
    /// The number of requests that the app has received and not responded to.
    public var pendingRequests: Int
    /// How often the app was suspended because it exceeded its time.
    public var overruns: Int
    /// The name that the app requests to advertise.
    public var localName: String?
    /// The services that the app requests to advertise; nil where it does not advertise.
    public var serviceUUIDs: [String]?
    /// The rule that keeps the requested advertisement off the air, such as `R12`.
    public var advertisingWithheldBy: String?
    /// `CBPeripheralManagerOptionRestoreIdentifierKey`; nil where nothing of the app is preserved.
    public var restoreIdentifier: String?
    /// The time since when the app is preserved, RFC 3339; nil where it is not.
    public var preservedSince: String?
    /// Why the app was terminated; nil where it was not.
    public var terminationCause: TerminationCause?
    /// When the app was terminated, RFC 3339.
    public var terminatedAt: String?
    /// When a terminated app is relaunched.
    public var relaunch: Relaunch?
    /// Seconds until the app may be relaunched, where it is backing off.
    public var relaunchSeconds: Double?
    /// The number of consecutive relaunches without success.
    public var failedRelaunches: Int?

    public enum Relaunch: String, Hashable, Codable, CaseIterable, Sendable {
      case nextEvent, inProgress, backingOff, afterUnlock, byUser, byHand, givenUp
    }

    public init(
      identifier: String, name: String, state: AppState, backgroundMode: Bool, secondsLeft: Double? = nil,
      throttledSeconds: Double? = nil, queuedEvents: Int = 0, droppedEvents: Int = 0, pendingRequests: Int = 0,
      overruns: Int = 0, localName: String? = nil, serviceUUIDs: [String]? = nil, advertisingWithheldBy: String? = nil
    ) {
      self.identifier = identifier
      self.name = name
      self.state = state
      self.backgroundMode = backgroundMode
      self.secondsLeft = secondsLeft
      self.throttledSeconds = throttledSeconds
      self.queuedEvents = queuedEvents
      self.droppedEvents = droppedEvents
      self.pendingRequests = pendingRequests
      self.overruns = overruns
      self.localName = localName
      self.serviceUUIDs = serviceUUIDs
      self.advertisingWithheldBy = advertisingWithheldBy
    }
  }

  /// What the phone advertises.
  public struct Air: Hashable, Codable, Sendable {
    /// An advertisement and its scan response.
    public struct Packet: Hashable, Codable, Sendable {
      /// Hexadecimal digits, at most 31 bytes.
      public var advertisingData: String
      /// Hexadecimal digits, at most 31 bytes.
      public var scanResponse: String
      /// Whether the radio has accepted the packet.
      public var isRegistered: Bool
      /// True where the phone sends it of its own, without an app; otherwise nil.
      public var isOwn: Bool?

      public init(advertisingData: String, scanResponse: String, isRegistered: Bool, isOwn: Bool = false) {
        self.isOwn = isOwn ? true : nil
        self.advertisingData = advertisingData
        self.scanResponse = scanResponse
        self.isRegistered = isRegistered
      }
    }

    /// In milliseconds.
    public struct Interval: Hashable, Codable, Sendable {
      public var minimum: Double
      public var maximum: Double

      public init(minimum: Double, maximum: Double) {
        self.minimum = minimum
        self.maximum = maximum
      }
    }

    /// Empty while nothing is on the air.
    public var advertisements: [Packet]
    /// `foreground` or `background`; nil while no app's advertisement is on the air.
    public var intervalKind: String?
    /// The interval of the rule set.
    public var requestedInterval: Interval?
    /// The interval that the controller applies, in steps of 0.625 ms; nil where it is unknown.
    public var effectiveInterval: Interval?
    public var overflowServiceUUIDs: [String]
    /// What was moved, shortened, dropped or withheld, each with its rule.
    public var reasons: [String]

    public init(
      advertisements: [Packet] = [], intervalKind: String? = nil, requestedInterval: Interval? = nil,
      effectiveInterval: Interval? = nil, overflowServiceUUIDs: [String] = [], reasons: [String] = []
    ) {
      self.advertisements = advertisements
      self.intervalKind = intervalKind
      self.requestedInterval = requestedInterval
      self.effectiveInterval = effectiveInterval
      self.overflowServiceUUIDs = overflowServiceUUIDs
      self.reasons = reasons
    }
  }

  /// An L2CAP channel that centrals can open.
  public struct Channel: Hashable, Codable, Sendable {
    public var psm: L2CAPPSM
    /// The app's bundle identifier.
    public var app: String
    /// Whether a central has to be paired.
    public var encrypted: Bool
    /// The addresses of the centrals that have the channel open.
    public var centrals: [String]

    public init(psm: L2CAPPSM, app: String, encrypted: Bool, centrals: [String]) {
      self.psm = psm
      self.app = app
      self.encrypted = encrypted
      self.centrals = centrals
    }
  }

  /// A subscription to a characteristic.
  public struct Subscriber: Hashable, Codable, Sendable {
    /// The central's address.
    public var central: String
    /// The app's bundle identifier.
    public var app: String
    public var service: String
    public var characteristic: String
    /// Whether the central was subscribed before the phone restarted and has not subscribed again.
    public var isAwaited: Bool
    /// The number of values retained for the central.
    public var retainedValues: Int
    /// The number of older values that were dropped.
    public var droppedValues: Int

    public init(
      central: String, app: String, service: String, characteristic: String, isAwaited: Bool = false,
      retainedValues: Int = 0, droppedValues: Int = 0
    ) {
      self.central = central
      self.app = app
      self.service = service
      self.characteristic = characteristic
      self.isAwaited = isAwaited
      self.retainedValues = retainedValues
      self.droppedValues = droppedValues
    }
  }
}
