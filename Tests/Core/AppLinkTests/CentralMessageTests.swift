import BleperaAppLink
import BleperaBluetooth
import TestSupport
import Testing

@Suite("Messages of central managers")
struct CentralMessageTests {
  private static let id = PeripheralID(rawValue: "A9B0F3D2-0C1F-4E0B-8E41-6C5D1B0A0001")
  private static let uuid = BluetoothUUID("180D")!
  private static let lamp = PeripheralDescription(id: id, name: "Lamp", mtu: 185, isConnected: true)
  private static var defective: PeripheralDescription {
    var lamp = lamp
    lamp.writePlaces = 1
    return lamp
  }
  private static let service = RemoteServiceDescription(handle: 1, uuid: uuid, isPrimary: true)
  private static let characteristic = RemoteCharacteristicDescription(
    handle: 3, uuid: uuid, properties: [.read, .notify], value: [1], isNotifying: true)
  private static let descriptor = RemoteDescriptorDescription(handle: 4, uuid: uuid)

  private static var options: ConnectOptions {
    var options = ConnectOptions()
    (options.autoReconnects, options.requiresANCS, options.startDelay) = (true, true, 1.5)
    (options.notifiesOnConnection, options.notifiesOnDisconnection) = (true, true)
    options.notifiesOnNotification = true
    return options
  }

  static let calls: [CentralCall] = [
    .scanForPeripherals(ScanRequest()),
    .scanForPeripherals(ScanRequest(services: [uuid], allowsDuplicates: true, solicitedServices: [uuid])), .stopScan,
    .connect(id, ConnectOptions()), .connect(id, options), .cancelPeripheralConnection(id), .release(id),
    .retrievePeripherals([id]), .retrievePeripherals([]), .retrieveConnectedPeripherals([uuid]),
    .registerForConnectionEvents(nil),
    .registerForConnectionEvents(ConnectionEventMatching(services: [uuid], peripherals: [id])),
  ]

  static let peripheralCalls: [PeripheralCall] = [
    .readRSSI, .discoverServices(nil), .discoverServices([]), .discoverServices([uuid]),
    .discoverIncludedServices(nil, service: 1), .discoverIncludedServices([uuid], service: 1),
    .discoverCharacteristics(nil, service: 1), .discoverCharacteristics([uuid], service: 1),
    .discoverDescriptors(characteristic: 3), .readValue(3), .writeValue(3, value: [1, 2], withResponse: true),
    .writeValue(3, value: [], withResponse: false), .setNotifyValue(true, characteristic: 3),
    .openL2CAPChannel(L2CAPPSM(rawValue: 128)),
  ]

  private static var advertisement: DiscoveredAdvertisement {
    var advertisement = DiscoveredAdvertisement()
    (advertisement.localName, advertisement.serviceUUIDs) = ("Lamp", [uuid])
    (advertisement.overflowServiceUUIDs, advertisement.solicitedServiceUUIDs) = ([uuid], [uuid])
    advertisement.serviceData = [.init(service: uuid, data: [1])]
    (advertisement.manufacturerData, advertisement.txPowerLevel) = ([0x4C, 0], -4)
    (advertisement.isConnectable, advertisement.rssi) = (false, -60)
    return advertisement
  }

  static let callbacks: [CentralCallback] = [
    .willRestoreState(RestoredCentralState(scan: nil, peripherals: [])),
    .willRestoreState(
      RestoredCentralState(
        scan: ScanRequest(services: [uuid]),
        peripherals: [
          RestoredPeripheral(
            peripheral: lamp, state: .disconnected,
            services: [
              .init(
                service: service, characteristics: [.init(characteristic: characteristic, descriptors: [descriptor])])
            ])
        ])),
    .didUpdateState(.poweredOn), .didDiscover(lamp, DiscoveredAdvertisement()), .didDiscover(lamp, advertisement),
    .didConnect(lamp), .didConnect(PeripheralDescription(id: id, name: nil)),
    .didConnect(PeripheralDescription(id: id, name: nil, canSendWriteWithoutResponse: false)),
    .didFailToConnect(id, error: nil),
    .didFailToConnect(id, error: .code(.connectionLimitReached)),
    .didDisconnectPeripheral(
      id, timestamp: Timestamp(seconds: 1_795_269_839, milliseconds: 42), isReconnecting: false, error: nil),
    .didDisconnectPeripheral(
      id, timestamp: Timestamp(seconds: 1_795_269_840, milliseconds: 0), isReconnecting: true,
      error: .code(.connectionTimeout)),
    .connectionEventDidOccur(lamp, isConnected: true), .didRetrievePeripherals([]), .didRetrievePeripherals([lamp]),
  ]

  static let peripheralCallbacks: [PeripheralCallback] = [
    .didUpdate(lamp), .didModifyServices([1, 9]), .didReadRSSI(-60, error: nil),
    .didReadRSSI(127, error: .code(.notConnected)), .didDiscoverServices([service], error: nil),
    .didDiscoverServices([], error: .code(.unknown)),
    .didDiscoverIncludedServices([service], service: 1, error: nil),
    .didDiscoverCharacteristics([characteristic], service: 1, error: nil),
    .didDiscoverDescriptors([descriptor], characteristic: 3, error: .code(.invalidHandle)),
    .didUpdateValue(3, value: [1], error: nil), .didUpdateValue(3, value: [], error: .att(.insufficientEncryption)),
    .didWriteValue(3, error: nil), .didWriteValue(3, error: .att(ATTError(rawValue: 0x80))),
    .didUpdateNotificationState(characteristic: 3, isNotifying: true, error: nil),
    .didUpdateNotificationState(characteristic: 3, isNotifying: false, error: .code(.invalidParameters)),
    .didSendWritesWithoutResponse(4), .didSendWritesWithoutResponse(2, isSilent: true), .didUpdate(defective),
    .didOpenL2CAPChannel(id: 1, psm: L2CAPPSM(rawValue: 128), error: nil),
    .didOpenL2CAPChannel(id: 0, psm: L2CAPPSM(rawValue: 128), error: .code(.operationNotSupported)),
  ]

  @Test("A call is read as it was written", arguments: calls + peripheralCalls.map { .peripheral(id, $0) })
  func roundTrip(call: CentralCall) throws {
    for manager in [.number(1), .restorable("lamps")] as [ManagerID.Name] {
      let message = AppMessage.central(manager, call)
      #expect(try JSONLine.decode(AppMessage.self, JSONLine.encode(message)) == message)
    }
  }

  @Test("A callback is read as it was written", arguments: callbacks + peripheralCallbacks.map { .peripheral(id, $0) })
  func roundTrip(callback: CentralCallback) throws {
    let message = PhoneMessage.central(.restorable("lamps"), callback)
    #expect(try JSONLine.decode(PhoneMessage.self, JSONLine.encode(message)) == message)
  }

  @Test("The samples of the schemas are these messages")
  func samples() throws {
    let calls = Self.calls + Self.peripheralCalls.map { .peripheral(Self.id, $0) }
    let callbacks = Self.callbacks + Self.peripheralCallbacks.map { .peripheral(Self.id, $0) }
    let manager = ManagerID.Name.restorable("lamps")
    let lines =
      calls.map { JSONLine.encode(AppMessage.central(manager, $0)) }
      + callbacks.map { JSONLine.encode(PhoneMessage.central(manager, $0)) }
    let file = try ProjectFile.bytes("Tests/Clients/central-messages.jsonl")
    #expect(String(decoding: lines.joined(), as: UTF8.self) == String(decoding: file, as: UTF8.self))
  }

  @Test("Only a channel that was opened comes with a stream")
  func channel() {
    func channel(_ error: CentralError?) -> Int? {
      PhoneMessage.central(
        .number(0), .peripheral(Self.id, .didOpenL2CAPChannel(id: 7, psm: L2CAPPSM(rawValue: 128), error: error))
      ).openedChannel
    }
    #expect(channel(nil) == 7)
    #expect(channel(.code(.unknown)) == nil)
  }

  @Test(
    "A delay of more milliseconds than a number can have is written as the longest",
    arguments: [.infinity, 1e300, 9_223_372_036_854_775.807] as [Double])
  func longestDelay(seconds: Double) throws {
    var options = ConnectOptions()
    options.startDelay = seconds
    let line = JSONLine.encode(AppMessage.central(.number(0), .connect(Self.id, options)))
    let read = try JSONLine.decode(AppMessage.self, line)
    #expect(JSONLine.encode(read) == line)
  }
}
