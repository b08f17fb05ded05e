/// Why an advertisement is not taken, as LEAdvertisingManager1.RegisterAdvertisement says it (measured on 5.66 and
/// 5.82).
package enum AdvertisementRefusal: Error, Hashable, Sendable {
  /// A property has a value that bluetoothd does not take.
  case notParsed
  /// The kernel refuses it, or it is too long.
  case notRegistered
  /// The controller has no more instances.
  case tooMany
  /// There is no answer at all: a release before 5.73 with DiscoverableTimeout 0.
  case neverAnswered
}
