/// Whose scan it is.
enum CentralKind: String, CaseIterable, Encodable {
  /// `scanForPeripherals` with the UUIDs that the apps advertise.
  case iosAsking
  /// `scanForPeripherals` without UUIDs.
  case ios
  case android
  case bluez

  /// iOS keeps the overflow area to itself, and gives UUIDs for it to those who ask.
  var readsOverflowArea: Bool { self == .iosAsking }
  var showsManufacturerData: Bool { self == .android || self == .bluez }
}
