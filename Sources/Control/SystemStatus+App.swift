extension SystemStatus {
  /// An app, as `status` shows it. Times are in seconds.
  public struct App: Hashable, Codable, Sendable {
    public var identifier: String
    public var name: String
    /// `inactive`, `foreground`, `background` or `suspended`.
    public var state: String
    /// Whether `UIBackgroundModes` has `bluetooth-peripheral`.
    public var backgroundMode: Bool
    /// Until it is suspended; nil where no limit runs.
    public var budgetLeft: Double?
    /// Until it may be woken again; nil where it may be.
    public var throttledFor: Double?
    /// Events that wait for it.
    public var queued: Int
    /// Events dropped because too many waited.
    public var dropped: Int
    /// Requests that it has been given and has not answered.
    public var unanswered: Int
    /// How often it was cut off.
    public var overstays: Int
    /// What it asks to have advertised; nil where it does not advertise.
    public var localName: String?
    public var serviceUUIDs: [String]?
    /// The rule that keeps what it asks for off the air, such as `R12`.
    public var advertisingWithheldBy: String?
    /// `CBPeripheralManagerOptionRestoreIdentifierKey`; nil where nothing of the app is preserved.
    public var restoreIdentifier: String?
    /// Since when it is preserved, RFC 3339; nil where it is not.
    public var preservedSince: String?
    /// What ended it: `memoryPressure`, `crash` or the like; nil where it has not ended.
    public var ended: String?
    /// When it ended, RFC 3339.
    public var endedAt: String?
    /// `nextEvent`, `underWay`, `backingOff`, `afterUnlock`, `byUser` or `givenUp`; nil where it has not ended.
    public var relaunch: String?
    /// Until it may be relaunched; nil where it may be, or may not at all.
    public var relaunchIn: Double?
    /// How many relaunches in a row have led to nothing.
    public var failedRelaunches: Int?

    public init(
      identifier: String, name: String, state: String, backgroundMode: Bool, budgetLeft: Double? = nil,
      throttledFor: Double? = nil, queued: Int = 0, dropped: Int = 0, unanswered: Int = 0, overstays: Int = 0,
      localName: String? = nil, serviceUUIDs: [String]? = nil, advertisingWithheldBy: String? = nil
    ) {
      self.identifier = identifier
      self.name = name
      self.state = state
      self.backgroundMode = backgroundMode
      self.budgetLeft = budgetLeft
      self.throttledFor = throttledFor
      self.queued = queued
      self.dropped = dropped
      self.unanswered = unanswered
      self.overstays = overstays
      self.localName = localName
      self.serviceUUIDs = serviceUUIDs
      self.advertisingWithheldBy = advertisingWithheldBy
    }
  }
}
