import BleperaAppLink
import BleperaBluetooth

extension CentralCallback {
  /// The peripheral that the callback is about.
  var peripheral: PeripheralID? {
    switch self {
    case .didDiscover(let peripheral, _), .didConnect(let peripheral), .connectionEventDidOccur(let peripheral, _):
      peripheral.id
    case .didFailToConnect(let peripheral, _), .didDisconnectPeripheral(let peripheral, _, _, _),
      .peripheral(let peripheral, _):
      peripheral
    case .willRestoreState, .didUpdateState, .didRetrievePeripherals: nil
    }
  }

  /// The name of the delegate's method, in short.
  var name: String {
    switch self {
    case .willRestoreState: "willRestoreState"
    case .didUpdateState: "didUpdateState"
    case .didDiscover: "didDiscover"
    case .didConnect: "didConnect"
    case .didFailToConnect: "didFailToConnect"
    case .didDisconnectPeripheral: "didDisconnectPeripheral"
    case .connectionEventDidOccur: "connectionEventDidOccur"
    case .didRetrievePeripherals: "didRetrievePeripherals"
    case .peripheral(_, let callback):
      switch callback {
      case .didUpdate: "peripheralDidUpdateName"
      case .didModifyServices: "didModifyServices"
      case .didReadRSSI: "didReadRSSI"
      case .didDiscoverServices: "didDiscoverServices"
      case .didDiscoverIncludedServices: "didDiscoverIncludedServicesFor"
      case .didDiscoverCharacteristics: "didDiscoverCharacteristicsFor"
      case .didDiscoverDescriptors: "didDiscoverDescriptorsFor"
      case .didUpdateValue: "didUpdateValueFor"
      case .didWriteValue: "didWriteValueFor"
      case .didUpdateNotificationState: "didUpdateNotificationStateFor"
      case .didSendWritesWithoutResponse: "peripheralIsReadyToSendWriteWithoutResponse"
      case .didOpenL2CAPChannel: "didOpenL2CAPChannel"
      }
    }
  }
}

extension CentralCall {
  /// The name of the call.
  var name: String {
    switch self {
    case .scanForPeripherals: "scanForPeripherals"
    case .stopScan: "stopScan"
    case .connect: "connect"
    case .cancelPeripheralConnection, .release: "cancelPeripheralConnection"
    case .retrievePeripherals: "retrievePeripherals"
    case .retrieveConnectedPeripherals: "retrieveConnectedPeripherals"
    case .registerForConnectionEvents: "registerForConnectionEvents"
    case .peripheral(_, let call):
      switch call {
      case .readRSSI: "readRSSI"
      case .discoverServices: "discoverServices"
      case .discoverIncludedServices: "discoverIncludedServices"
      case .discoverCharacteristics: "discoverCharacteristics"
      case .discoverDescriptors: "discoverDescriptors"
      case .readValue: "readValue"
      case .writeValue: "writeValue"
      case .setNotifyValue: "setNotifyValue"
      case .openL2CAPChannel: "openL2CAPChannel"
      }
    }
  }
}
