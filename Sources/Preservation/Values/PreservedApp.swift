package import AppLink
package import FoundationEssentials

/// What is kept of one app, running or not.
package struct PreservedApp: Hashable, Sendable {
  package var identity: AppIdentity
  /// How its process was started; nil where that is not known, and the app cannot be launched again.
  package var launch: LaunchDescription?
  /// To the second, like every time here: a property list has no fractions.
  package var since: Date { didSet { since = since.wholeSecond } }
  /// Nil while it runs.
  package var ended: Ended?
  /// Each with an identifier of its own.
  package var services: [PreservedService]
  package var advertisement: PreservedAdvertisement?
  /// One for each central and characteristic.
  package var subscribers: [PreservedSubscriber]

  package init(
    identity: AppIdentity, launch: LaunchDescription?, since: Date, ended: Ended? = nil,
    services: [PreservedService] = [], advertisement: PreservedAdvertisement? = nil,
    subscribers: [PreservedSubscriber] = []
  ) {
    self.identity = identity
    self.launch = launch
    self.since = since.wholeSecond
    self.ended = ended
    self.services = services
    self.advertisement = advertisement
    self.subscribers = subscribers
  }
}

extension PreservedApp: StoredValue {
  init(reading fields: StateReader) throws {
    self.init(
      identity: try fields.value(.identity, Record<AppIdentity>.self),
      launch: try fields.optional(.launch, Record<LaunchDescription>.self), since: try fields.value(.since),
      ended: try fields.optional(.ended, Record<Ended>.self),
      services: try fields.list(.services, Record<PreservedService>.self),
      advertisement: try fields.optional(.advertisement, Record<PreservedAdvertisement>.self),
      subscribers: try fields.list(.subscribers, Record<PreservedSubscriber>.self))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(identity, .identity, Record.self)
    try fields.optional(launch, .launch, Record.self)
    try fields.value(since, .since)
    try fields.optional(ended, .ended, Record.self)
    try fields.list(services, .services, Record.self)
    try fields.optional(advertisement, .advertisement, Record.self)
    try fields.list(subscribers, .subscribers, Record.self)
  }
}
