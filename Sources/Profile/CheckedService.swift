internal import GATT

/// A service that was read, and what of it can only be checked once all services are known.
struct CheckedService {
  /// Nil when it is faulty.
  var uuid: BluetoothUUID?
  var service: Profile.Service
  var inclusions: [(uuid: BluetoothUUID, field: Fields.Field)] = []
}
