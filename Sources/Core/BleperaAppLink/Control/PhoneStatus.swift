package import BleperaBluetooth
package import BleperaRadio

/// The output of `blepera status` for a running phone. docs/schema/status.json describes the keys.
package struct PhoneStatus: Hashable, Codable, Sendable {
  /// The version of the format that this blepera writes.
  package static let currentVersion = 2

  package var version = currentVersion
  /// The major number of the emulated iOS.
  package var ios: Int
  /// The phone's settings as options of `blepera serve`, with defaults: `--ios 26`; nil for a phone without commands.
  package var options: [String]?
  /// The transports at which programs outside have attached to the HCI of the air; nil where the air has none.
  package var hosts: [String]?
  /// Nil while there is no adapter.
  package var adapter: String?
  /// bluetoothd's version, such as `5.66`; nil where it is unknown.
  package var bluez: String?
  /// The controller of a phone with `--controller`; nil without, and before the controller has answered.
  package var controller: RadioController?
  package var radio: Radio
  /// Nil without an adapter, and over BlueZ.
  package var address: Address?
  package var screenLocked: Bool
  /// The folder of the preserved state; nil where the state is in memory only.
  package var stateFolder: String?
  package var apps: [App]
  package var air: Air
  package var subscribers: [Subscriber]
  /// The published L2CAP channels; nil where there are none.
  package var channels: [Channel]?
  /// The devices that the user can forget; nil where there are none.
  package var bonds: [Bond]?
  /// The pairings that wait for the user; nil where there are none.
  package var pairings: [Pairing]?
  /// The parts of an iPhone's behavior that the radio cannot do; empty on the virtual radio.
  package var limitations: [RadioLimitation]
  /// The defects that the phone has, by name; nil for none.
  package var defects: [String]?
  /// Problems that the user should act upon, each with advice.
  package var warnings: [String]

  package enum Radio: String, Hashable, Codable, CaseIterable, Sendable {
    case unknown, noDaemon, noAdapter, poweredOff, poweredOn
  }

  package init(
    ios: Int, adapter: String?, bluez: String? = nil, radio: Radio, address: Address? = nil, screenLocked: Bool,
    stateFolder: String? = nil, apps: [App], air: Air, subscribers: [Subscriber],
    channels: [Channel]? = nil, limitations: [RadioLimitation] = [], defects: [String]? = nil, warnings: [String]
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
    self.defects = defects
    self.warnings = warnings
  }
}

extension PhoneStatus {
  /// The phone's address on the air.
  package struct Address: Hashable, Codable, Sendable {
    /// The address under which the phone advertises: `5A:01:02:03:04:05`.
    package var current: String
    /// The address that bonded centrals know.
    package var identity: String
    /// The identity resolving key, 32 hexadecimal digits, the most significant first; nil where `current` is public.
    package var irk: String?
    /// The bytes of `irk`, the least significant first.
    package var irkReversed: String?

    package init(current: String, identity: String, irk: IdentityResolvingKey? = nil) {
      self.current = current
      self.identity = identity
      (self.irk, irkReversed) = (irk?.description, irk?.reversedDescription)
    }
  }

  /// An app of the phone.
  package struct App: Hashable, Codable, Sendable {
    package var identifier: String
    package var name: String
    package var state: AppState
    /// Whether `UIBackgroundModes` has `bluetooth-peripheral`.
    package var backgroundMode: Bool
    /// Seconds until the app is suspended; nil while it has no limit.
    package var secondsLeft: Double?
    /// Seconds until the app may be woken again; nil where it may be.
    package var throttledSeconds: Double?
    /// The number of events queued for the app.
    package var queuedEvents: Int
    /// The number of events dropped because the queue was full.
    package var droppedEvents: Int
    /// The number of requests that the app has received and not responded to.
    package var pendingRequests: Int
    /// How often the app was suspended because it exceeded its time.
    package var overruns: Int
    /// The name that the app requests to advertise.
    package var localName: String?
    /// The services that the app requests to advertise; nil where it does not advertise.
    package var serviceUUIDs: [String]?
    /// The rule that keeps the requested advertisement off the air, such as `R12`.
    package var advertisingWithheldBy: String?
    /// `CBPeripheralManagerOptionRestoreIdentifierKey`; nil where nothing of the app is preserved.
    package var restoreIdentifier: String?
    /// The time since when the app is preserved, RFC 3339; nil where it is not.
    package var preservedSince: String?
    /// Why the app was terminated; nil where it was not.
    package var terminationCause: TerminationCause?
    /// When the app was terminated, RFC 3339.
    package var terminatedAt: String?
    /// When a terminated app is relaunched.
    package var relaunch: Relaunch?
    /// Seconds until the app may be relaunched, where it is backing off.
    package var relaunchSeconds: Double?
    /// The number of consecutive relaunches without success.
    package var failedRelaunches: Int?
    /// Nil for an app without central managers.
    package var central: Central?

    /// The central managers of an app, together.
    package struct Central: Hashable, Codable, Sendable {
      /// Whether `UIBackgroundModes` has `bluetooth-central`.
      package var backgroundMode: Bool
      /// The services for which the app scans, empty for all; nil where it does not scan.
      package var scannedServices: [String]?
      package var peripherals: [Peripheral]
      /// The alerts that the user sees while the app is suspended; nil for none.
      package var alerts: [String]?

      package init(
        backgroundMode: Bool, scannedServices: [String]?, peripherals: [Peripheral], alerts: [String]?
      ) {
        self.backgroundMode = backgroundMode
        self.scannedServices = scannedServices
        self.peripherals = peripherals
        self.alerts = alerts
      }
    }

    /// A peripheral that an app is connected to, or waits for.
    package struct Peripheral: Hashable, Codable, Sendable {
      package var address: String
      package var name: String?
      package var isConnected: Bool
      /// The number of characteristics to which the app is subscribed.
      package var subscriptions: Int

      package init(address: String, name: String?, isConnected: Bool, subscriptions: Int) {
        self.address = address
        self.name = name
        self.isConnected = isConnected
        self.subscriptions = subscriptions
      }
    }

    package enum Relaunch: String, Hashable, Codable, CaseIterable, Sendable {
      case nextEvent, inProgress, backingOff, afterUnlock, byUser, manual, givenUp
    }

    package init(
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

  /// The phone's advertising: packets, intervals and reasons.
  package struct Air: Hashable, Codable, Sendable {
    /// An advertisement and its scan response.
    package struct Packet: Hashable, Codable, Sendable {
      /// Hexadecimal digits, at most 31 bytes.
      package var advertisingData: String
      /// Hexadecimal digits, at most 31 bytes.
      package var scanResponse: String
      /// Whether the radio has accepted the packet.
      package var isRegistered: Bool
      /// True where the phone sends it of its own, without an app; otherwise nil.
      package var isOwn: Bool?

      package init(advertisingData: String, scanResponse: String, isRegistered: Bool, isOwn: Bool = false) {
        self.isOwn = isOwn ? true : nil
        self.advertisingData = advertisingData
        self.scanResponse = scanResponse
        self.isRegistered = isRegistered
      }
    }

    /// In milliseconds.
    package struct Interval: Hashable, Codable, Sendable {
      package var minimum: Double
      package var maximum: Double

      package init(minimum: Double, maximum: Double) {
        self.minimum = minimum
        self.maximum = maximum
      }
    }

    /// Empty while nothing is on the air.
    package var advertisements: [Packet]
    /// `foreground` or `background`; nil while no app's advertisement is on the air.
    package var intervalKind: String?
    /// The interval of the rule set.
    package var requestedInterval: Interval?
    /// The interval that the controller applies, in steps of 0.625 ms; nil where it is unknown.
    package var effectiveInterval: Interval?
    package var overflowServiceUUIDs: [String]
    /// The parts that were moved, shortened, dropped or withheld, each with its rule.
    package var reasons: [String]

    package init(
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
  package struct Channel: Hashable, Codable, Sendable {
    package var psm: L2CAPPSM
    /// The app's bundle identifier.
    package var app: String
    /// Whether a central has to be paired.
    package var encrypted: Bool
    /// The addresses of the centrals that have the channel open.
    package var centrals: [String]

    package init(psm: L2CAPPSM, app: String, encrypted: Bool, centrals: [String]) {
      self.psm = psm
      self.app = app
      self.encrypted = encrypted
      self.centrals = centrals
    }
  }

  /// A subscription to a characteristic.
  package struct Subscriber: Hashable, Codable, Sendable {
    /// The central's address.
    package var central: String
    /// The app's bundle identifier.
    package var app: String
    package var service: String
    package var characteristic: String
    /// Whether the central was subscribed before the phone restarted and has not subscribed again.
    package var isAwaited: Bool
    /// The number of values retained for the central.
    package var retainedValues: Int
    /// The number of older values that were dropped.
    package var droppedValues: Int

    package init(
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
