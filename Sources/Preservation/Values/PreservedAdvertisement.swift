package import AppLink

/// What an app advertises.
package struct PreservedAdvertisement: Hashable, Sendable {
  /// What the app asked for last; nil once it stopped.
  package var asked: AdvertisementRequest?
  /// What has effect: an older request, or none, where the last was made in the background (R12).
  package var granted: AdvertisementRequest?
  /// Its place among the apps that advertise: the lower, the earlier.
  package var order: Int

  package init(asked: AdvertisementRequest?, granted: AdvertisementRequest?, order: Int) {
    self.asked = asked
    self.granted = granted
    self.order = order
  }
}

extension PreservedAdvertisement: StoredValue {
  init(reading fields: StateReader) throws {
    self.init(
      asked: try fields.optional(.asked, Record<AdvertisementRequest>.self),
      granted: try fields.optional(.granted, Record<AdvertisementRequest>.self), order: try fields.value(.order))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.optional(asked, .asked, Record.self)
    try fields.optional(granted, .granted, Record.self)
    try fields.value(order, .order)
  }
}
