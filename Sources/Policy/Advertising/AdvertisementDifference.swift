package import GATT

/// Where what BlueZ sends is not what an iPhone sends.
package enum AdvertisementDifference: Hashable, Sendable {
  case flags(phone: ADFlags, bluez: ADFlags)
  /// In dBm.
  case txPowerLevelMissing(Int)
  case listCalledComplete(BluetoothUUID.Width)
  case uuidShortened(BluetoothUUID)
  case localNameInScanResponse
  case localNameCalledComplete
  case overflowInAdvertisement
  case secondAdvertisement
  case wholeMilliseconds(AdvertisingInterval)
}

extension AdvertisementDifference: CustomStringConvertible {
  /// One sentence, with the cause.
  package var description: String {
    switch self {
    case .flags(let phone, let bluez):
      "Flags are \(Hex.string([bluez.rawValue])) and stand last, not \(Hex.string([phone.rawValue])) and first: "
        + "BlueZ makes them itself."
    case .txPowerLevelMissing(let level):
      "The TX power of an iPhone, \(level) dBm, is not sent: BlueZ can only send the adapter's own."
    case .listCalledComplete(let width):
      "The incomplete list of \(width.rawValue * 8)-bit UUIDs is marked complete: BlueZ knows no other."
    case .uuidShortened(let uuid):
      "\(uuid) is sent as \(BlueZAdvertisement.onAir(uuid)): BlueZ shortens a 16-bit UUID's long form."
    case .localNameInScanResponse:
      "The local name is in the scan response, not in the advertisement: BlueZ puts it there."
    case .localNameCalledComplete:
      "The shortened local name is marked complete: BlueZ is given no longer one."
    case .overflowInAdvertisement:
      "The overflow area is in an advertisement, not in the scan response: BlueZ puts manufacturer data there."
    case .secondAdvertisement:
      "The overflow area is in an advertisement of its own: it and the service UUIDs exceed 31 bytes."
    case .wholeMilliseconds(let interval):
      "The interval is \(interval.controllerDescription), not \(interval): "
        + "BlueZ takes whole milliseconds, and the controller steps of 0.625 ms."
    }
  }
}
