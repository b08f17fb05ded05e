import BleperaAppLink
import BleperaBluetooth

extension ScanRequest {
  init(_ services: [CBUUID]?, _ options: [String: Any]?) {
    let options = Options(options)
    self.init(
      services: services?.map(\.uuid) ?? [],
      allowsDuplicates: options.flag(CBCentralManagerScanOptionAllowDuplicatesKey),
      solicitedServices: options.list(CBCentralManagerScanOptionSolicitedServiceUUIDsKey, of: CBUUID.self).map(\.uuid))
  }

  /// The options for `CBCentralManagerRestoredStateScanOptionsKey`.
  var options: [String: Any] {
    var options: [String: Any] = [:]
    if allowsDuplicates { options[CBCentralManagerScanOptionAllowDuplicatesKey] = NSNumber(value: true) }
    if !solicitedServices.isEmpty {
      options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = solicitedServices.map { CBUUID($0) }
    }
    return options
  }
}

extension ConnectOptions {
  init(_ options: [String: Any]?) {
    self.init()
    let options = Options(options)
    notifiesOnConnection = options.flag(CBConnectPeripheralOptionNotifyOnConnectionKey)
    notifiesOnDisconnection = options.flag(CBConnectPeripheralOptionNotifyOnDisconnectionKey)
    notifiesOnNotification = options.flag(CBConnectPeripheralOptionNotifyOnNotificationKey)
    autoReconnects = options.flag(CBConnectPeripheralOptionEnableAutoReconnect)
    requiresANCS = options.flag(CBConnectPeripheralOptionRequiresANCS)
    startDelay = options.seconds(CBConnectPeripheralOptionStartDelayKey)
  }
}

extension ConnectionEventMatching {
  init(_ options: [CBConnectionEventMatchingOption: Any]) {
    let options = Options(options)
    self.init(
      services: options.list(CBConnectionEventMatchingOption.serviceUUIDs.rawValue, of: CBUUID.self).map(\.uuid),
      peripherals: options.list(CBConnectionEventMatchingOption.peripheralUUIDs.rawValue, of: UUID.self)
        .map { PeripheralID(rawValue: $0.uuidString) })
  }
}

extension DiscoveredAdvertisement {
  /// The dictionary for `centralManager(_:didDiscover:advertisementData:rssi:)`, with a key for each received field.
  var dictionary: [String: Any] {
    var dictionary: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable)]
    func add(_ key: String, _ uuids: [BluetoothUUID]) {
      if !uuids.isEmpty { dictionary[key] = uuids.map { CBUUID($0) } }
    }
    dictionary[CBAdvertisementDataLocalNameKey] = localName
    dictionary[CBAdvertisementDataManufacturerDataKey] = manufacturerData.map { Data($0) }
    dictionary[CBAdvertisementDataTxPowerLevelKey] = txPowerLevel.map { NSNumber(value: $0) }
    add(CBAdvertisementDataServiceUUIDsKey, serviceUUIDs)
    add(CBAdvertisementDataOverflowServiceUUIDsKey, overflowServiceUUIDs)
    add(CBAdvertisementDataSolicitedServiceUUIDsKey, solicitedServiceUUIDs)
    if !serviceData.isEmpty {
      let data = serviceData.map { (CBUUID($0.service), Data($0.data)) }
      dictionary[CBAdvertisementDataServiceDataKey] = Dictionary(data) { _, last in last }
    }
    return dictionary
  }
}

extension RestoredPeripheral.State {
  var state: CBPeripheralState {
    switch self {
    case .disconnected: .disconnected
    case .connecting: .connecting
    case .connected: .connected
    }
  }
}

extension CentralError {
  /// The error that a delegate receives.
  var error: any Error {
    switch self {
    case .att(let error): CBATTError(CBATTError.Code(rawValue: Int(error.rawValue)) ?? .unlikelyError)
    case .code(let code): CBError(CBError.Code(rawValue: code.rawValue) ?? .unknown)
    }
  }
}

extension CBDescriptor {
  /// The value of a remote descriptor with the type that its UUID gives it.
  func content(of bytes: [UInt8]) -> Any {
    switch uuid.uuid {
    case DescriptorDefinition.userDescription: String(decoding: bytes, as: UTF8.self)
    case BluetoothUUID(0x2900 as UInt16), BluetoothUUID(0x2902 as UInt16), BluetoothUUID(0x2903 as UInt16):
      NSNumber(value: bytes.prefix(2).reversed().reduce(0 as UInt16) { $0 << 8 | UInt16($1) })
    default: Data(bytes)
    }
  }
}
