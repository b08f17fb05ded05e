package import BleperaAppLink
package import BleperaBluetooth
package import FoundationEssentials

/// The state that one phone preserves of its apps, in the form of the state file's JSON.
package struct PreservedState: Hashable, Codable, Sendable {
  /// Bundle identifiers and restore identifiers are unique.
  package var apps: [PreservedApp]
  /// Nil while the screen is on.
  package var screen: PreservedScreen?
  /// The identity of a phone with a host of its own; nil where the phone was on bluetoothd alone.
  package var identity: PhoneIdentity?
  /// The peripherals that are bonded, or that a central manager holds; nil for none.
  package var peripherals: [PreservedPeripheral]?

  package init(
    apps: [PreservedApp] = [], screen: PreservedScreen? = nil, identity: PhoneIdentity? = nil,
    peripherals: [PreservedPeripheral]? = nil
  ) {
    self.apps = apps
    self.screen = screen
    self.identity = identity
    self.peripherals = peripherals
  }
}

/// A screen that is off.
package enum PreservedScreen: String, Hashable, Codable, Sendable {
  case locked
  /// Since `blepera reboot` (R15).
  case beforeFirstUnlock
}

/// The preserved state of one app, running or terminated.
package struct PreservedApp: Hashable, Codable, Sendable {
  package var identity: AppIdentity
  /// How the app's process was started; nil where that is unknown and the app cannot be relaunched.
  package var launch: LaunchDescription?
  /// When the phone first preserved the app. In whole seconds, like every time of the state.
  package var since: Date { didSet { since = since.wholeSecond } }
  /// Nil while the app runs.
  package var termination: AppTermination?
  /// How the app ran, since its process may run on while the phone's is replaced; nil where nothing is to be kept.
  package var execution: PreservedExecution?
  /// The managers with a restoration identifier; their ids are unique.
  package var managers: [PreservedManager]
  /// The ids are unique.
  package var services: [PreservedService]
  /// At most one for each central and characteristic.
  package var subscribers: [PreservedSubscriber]
  /// In the order of their arrival.
  package var events: [PreservedEvent]

  package init(
    identity: AppIdentity, launch: LaunchDescription?, since: Date, termination: AppTermination? = nil,
    execution: PreservedExecution? = nil, managers: [PreservedManager] = [], services: [PreservedService] = [],
    subscribers: [PreservedSubscriber] = [], events: [PreservedEvent] = []
  ) {
    self.identity = identity
    self.launch = launch
    self.since = since.wholeSecond
    self.termination = termination
    self.execution = execution
    self.managers = managers
    self.services = services
    self.subscribers = subscribers
    self.events = events
  }
}

/// A callback that waits until its app runs and has created its manager.
package struct PreservedEvent: Hashable, Sendable {
  package var kind: NoticeKind
  /// The callback of one of the app's managers.
  package var message: PhoneMessage

  package init(kind: NoticeKind, message: PhoneMessage) {
    self.kind = kind
    self.message = message
  }
}

extension PreservedEvent: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind, message
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    kind = try container.decode(NoticeKind.self, forKey: .kind)
    let line = try container.decode(String.self, forKey: .message)
    do {
      message = try JSONLine.decode(PhoneMessage.self, Array(line.utf8))
    } catch {
      throw DecodingError.dataCorruptedError(forKey: .message, in: container, debugDescription: error.reason)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(JSONLine.text(message), forKey: .message)
  }
}

/// A manager of an app, and what it has asked for.
package struct PreservedManager: Hashable, Codable, Sendable {
  package enum Content: Hashable, Codable, Sendable {
    case peripheral(advertisement: PreservedAdvertisement?)
    /// The connections end with the phone's process; the next one waits for them again.
    ///
    /// `peripherals`: those that the app used when it ended, or now where it runs.
    case central(scan: ScanRequest?, connections: [Connection], peripherals: [RestoredPeripheral])
  }

  package struct Connection: Hashable, Codable, Sendable {
    package var peripheral: PeripheralID
    package var options: ConnectOptions
    /// False for the wait for a connection.
    package var isConnected: Bool

    package init(peripheral: PeripheralID, options: ConnectOptions, isConnected: Bool) {
      self.peripheral = peripheral
      self.options = options
      self.isConnected = isConnected
    }
  }

  package var name: ManagerID.Name
  package var content: Content

  private enum CodingKeys: String, CodingKey {
    case name = "id"
    case content
  }

  package init(name: ManagerID.Name, content: Content) {
    self.name = name
    self.content = content
  }
}

extension PreservedManager {
  package var id: ManagerID {
    switch content {
    case .peripheral: ManagerID(.peripheral, name)
    case .central: ManagerID(.central, name)
    }
  }

  package var advertisement: PreservedAdvertisement? {
    if case .peripheral(let advertisement) = content { advertisement } else { nil }
  }

  package var peripherals: [RestoredPeripheral] {
    if case .central(_, _, let peripherals) = content { peripherals } else { [] }
  }

  /// The place among those that advertise; 0 for one that does not.
  package var order: Int { advertisement?.order ?? 0 }
}

/// A peripheral whose identifier apps keep.
package struct PreservedPeripheral: Hashable, Codable, Sendable {
  /// The identifier for apps.
  package var id: PeripheralID
  package var address: PeripheralID
  package var isBonded: Bool
  package var name: String?

  package init(id: PeripheralID, address: PeripheralID, isBonded: Bool, name: String?) {
    self.id = id
    self.address = address
    self.isBonded = isBonded
    self.name = name
  }
}

/// The part of an app's execution state that the app cannot know when it connects to the phone's next process.
package struct PreservedExecution: Hashable, Codable, Sendable {
  package var isSuspended: Bool
  /// Whether the app returns to the foreground when the screen is unlocked.
  package var isFrontmost: Bool

  package init(isSuspended: Bool, isFrontmost: Bool) {
    self.isSuspended = isSuspended
    self.isFrontmost = isFrontmost
  }
}

/// Why and when an app's process was terminated.
package struct AppTermination: Hashable, Codable, Sendable {
  package var cause: TerminationCause
  package var at: Date { didSet { at = at.wholeSecond } }

  package init(cause: TerminationCause, at: Date) {
    self.cause = cause
    self.at = at.wholeSecond
  }
}

/// A published service with the handles that centrals may have cached.
package struct PreservedService: Hashable, Codable, Sendable {
  package var id: ServiceID
  package var manager: ManagerID.Name
  package var definition: ServiceDefinition
  package var handles: ServiceHandles
  /// The descriptors whose values were written since they were published.
  package var descriptorValues: [DescriptorValue]

  package init(
    id: ServiceID, manager: ManagerID.Name, definition: ServiceDefinition, handles: ServiceHandles,
    descriptorValues: [DescriptorValue] = []
  ) {
    self.id = id
    self.manager = manager
    self.definition = definition
    self.handles = handles
    self.descriptorValues = descriptorValues
  }
}

/// A descriptor's value that replaces the published one.
package struct DescriptorValue: Hashable, Codable, Sendable {
  /// The characteristic's index in its service.
  package var characteristic: Int
  /// The descriptor's index in its characteristic.
  package var descriptor: Int
  package var value: [UInt8]

  package init(characteristic: Int, descriptor: Int, value: [UInt8]) {
    self.characteristic = characteristic
    self.descriptor = descriptor
    self.value = value
  }
}

/// The advertisement of a manager.
package struct PreservedAdvertisement: Hashable, Codable, Sendable {
  /// The manager's last request; nil after it stopped advertising.
  package var requested: AdvertisementData?
  /// The advertisement in effect: an earlier request, or none, where the last request was made in the background (R12).
  package var effective: AdvertisementData?
  /// The manager's position among those that advertise, the earliest first.
  package var order: Int

  package init(requested: AdvertisementData?, effective: AdvertisementData?, order: Int) {
    self.requested = requested
    self.effective = effective
    self.order = order
  }
}

/// A central's subscription to one characteristic.
package struct PreservedSubscriber: Hashable, Codable, Sendable {
  package var central: CentralID
  package var isBonded: Bool
  package var characteristic: CharacteristicID
  /// The values that wait for the central to subscribe again, oldest first.
  package var updates: [[UInt8]]

  package init(central: CentralID, isBonded: Bool, characteristic: CharacteristicID, updates: [[UInt8]] = []) {
    self.central = central
    self.isBonded = isBonded
    self.characteristic = characteristic
    self.updates = updates
  }
}

extension Date {
  /// Rounded down to a second of the years 1970 to 9999, which every date format here can write; 1970 for NaN.
  var wholeSecond: Date {
    let last = 253_402_300_799.0
    let seconds = timeIntervalSince1970
    guard !seconds.isNaN else { return Date(timeIntervalSince1970: 0) }
    return Date(timeIntervalSince1970: min(max(seconds, 0), last).rounded(.down))
  }
}
