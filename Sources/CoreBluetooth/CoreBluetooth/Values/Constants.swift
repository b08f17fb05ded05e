// swift-format-ignore-file: AlwaysUseLowerCamelCase
// MARK: Advertisement data

/// The local name of a peripheral, a `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// The advertised service UUIDs, an array of `CBUUID`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// Service-specific data by `CBUUID`; for centrals only.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// Manufacturer data, a `Data`; for centrals only.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// The service UUIDs in the overflow area; for centrals only.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// The solicited service UUIDs; for centrals only.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"
/// The transmit power in dBm, an `NSNumber`; for centrals only.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// Whether the peripheral can be connected to, an `NSNumber`; for centrals only.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"

// MARK: Peripheral managers

/// Whether the system shows an alert if Bluetooth is off, a `Bool`; has no effect here.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The restoration identifier of the manager, a `String` that is unique in the app.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// The published services of a restored manager, an array of `CBMutableService`.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// The advertisement of a restored manager, as `startAdvertising(_:)` received it.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"

// MARK: Central managers

/// Whether the system shows an alert if Bluetooth is off, a `Bool`.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The restoration identifier of the manager, a `String` that is unique in the app.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Whether the app wants access to accessories for media, a `Bool`.
public let CBCentralManagerOptionDeviceAccessForMedia = "kCBInitOptionDeviceAccessForMedia"
/// Whether each advertisement is reported, and not only the first of a peripheral, a `Bool`.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// The solicited services to scan for, an array of `CBUUID`.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"
/// Whether the system shows an alert at a connection in the background, a `Bool`.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// Whether the system shows an alert at a disconnection in the background, a `Bool`.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
/// Whether the system shows an alert at a notification in the background, a `Bool`.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// The seconds before the system connects, an `NSNumber`.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Whether classic profiles are connected as well, a `Bool`.
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
/// Whether the Apple Notification Center Service is required, a `Bool`.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"
/// Whether the system connects again after a lost connection, a `Bool`.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"
/// The peripherals of a restored manager, an array of `CBPeripheral`.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// The services that a restored manager scans for, an array of `CBUUID`.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// The scan options of a restored manager.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

// MARK: Descriptors and characteristics

/// Characteristic Extended Properties; the value is an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// Characteristic User Description; the value is a `String`.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// Client Characteristic Configuration; the value is an `NSNumber`.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// Server Characteristic Configuration; the value is an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// Characteristic Presentation Format; the value is a `Data`.
public let CBUUIDCharacteristicFormatString = "2904"
/// Characteristic Aggregate Format.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// Valid Range.
public let CBUUIDCharacteristicValidRangeString = "2906"
/// Observation Schedule.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
/// The characteristic that has the PSM of an L2CAP channel.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"
