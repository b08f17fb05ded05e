import BleperaAppLink
import BleperaBluetooth
import BleperaRadio

extension CentralRole {
  /// The callback of a call with an error; a write without response and the like have none.
  mutating func fail(_ call: PeripheralCall, of id: PeripheralID, for user: CentralUser, _ error: CentralError) {
    let callback: PeripheralCallback? =
      switch call {
      case .readRSSI: .didReadRSSI(127, error: error)
      case .discoverServices: .didDiscoverServices([], error: error)
      case .discoverIncludedServices(_, let service): .didDiscoverIncludedServices([], service: service, error: error)
      case .discoverCharacteristics(_, let service): .didDiscoverCharacteristics([], service: service, error: error)
      case .discoverDescriptors(let handle): .didDiscoverDescriptors([], characteristic: handle, error: error)
      case .readValue(let handle): .didUpdateValue(handle, value: [], error: error)
      case .writeValue(let handle, _, true): .didWriteValue(handle, error: error)
      case .writeValue: nil
      case .setNotifyValue(_, let handle):
        .didUpdateNotificationState(
          characteristic: handle, isNotifying: notifies(handle, of: id, to: user), error: error)
      case .openL2CAPChannel(let psm): .didOpenL2CAPChannel(id: 0, psm: psm, error: error)
      }
    if let callback { deliver(callback, of: id, to: user) }
  }
}

extension ProcedureFailure {
  var error: CentralError {
    switch self {
    // 0x00 is no error; how an iPhone takes it is not known.
    case .att(let error): .att(error.rawValue == 0 ? .unlikelyError : error)
    case .pairing, .channel(.notEncrypted): .att(.insufficientAuthentication)
    case .notConnected, .disconnected: .code(.notConnected)
    case .channel: .code(.connectionFailed)
    }
  }
}
