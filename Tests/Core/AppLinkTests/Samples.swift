import BleperaAppLink
import BleperaBluetooth
import BleperaLoop

/// One of each message.
enum Samples {
  static let service = ServiceID(rawValue: 2)
  static let characteristic = CharacteristicID(service: service, index: 1)
  static let central = CentralDescription(id: CentralID(rawValue: "00:11:22:33:44:55"), maximumUpdateValueLength: 182)
  static let app = AppIdentity(
    bundleIdentifier: "org.blepera.heart-rate", name: "Heart Rate", backgroundModes: ["bluetooth-peripheral"])
  static let definition = ServiceDefinition(
    uuid: BluetoothUUID(0x180D as UInt16),
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A38 as UInt16), properties: .read, permissions: .readable, value: [1])
    ])

  static let process = LaunchDescription(arguments: ["app", "-v"], folder: "/srv", environment: ["LANG": "C"])
  static let restored = RestoredState(
    services: [
      RestoredService(id: service, service: definition, subscriptions: [.init(index: 0, centrals: [central])])
    ], advertisement: AdvertisementData(localName: "Lock", serviceUUIDs: []))

  static let appMessages: [AppMessage] =
    [
      .hello(version: 1, app: app),
      .hello(
        version: 7,
        app: AppIdentity(bundleIdentifier: "", name: "é\n\"", backgroundModes: [])),
      .hello(
        version: 1,
        app: AppIdentity(
          bundleIdentifier: "a", name: "A", backgroundModes: [],
          rules: RuleOverrides(
            foregroundInterval: 20, backgroundInterval: 1022.5, suspendedError: .insufficientResources,
            disablesCachedValues: false))),
      .hello(
        version: 1,
        app: AppIdentity(
          bundleIdentifier: "a", name: "A", backgroundModes: [], usesAccessorySetup: true),
        launch: .leftForeground, process: process),
      .create(ManagerID(.peripheral, .restorable("lock"))), .create(ManagerID(.central, .number(-1))),
      .didFinish, .didBecomeIdle, .beginBackgroundTask(3), .endBackgroundTask(3),
    ] + calls.map { .peripheral(.number(1), $0) } + [.peripheral(.restorable("lock"), .stopAdvertising)]

  static let calls: [PeripheralManagerCall] = [
    .addService(service, definition),
    .removeService(service),
    .removeAllServices,
    .startAdvertising(AdvertisementData(localName: "Heart Rate", serviceUUIDs: [definition.uuid])),
    .startAdvertising(AdvertisementData(localName: nil, serviceUUIDs: [])),
    .stopAdvertising,
    .updateValue(characteristic, value: [6, 72], centrals: nil),
    .updateValue(characteristic, value: [], centrals: [central.id]),
    .updateValue(characteristic, value: [255], centrals: []),
    .respond(RequestID(rawValue: 9), error: nil, value: [1, 2]),
    .respond(RequestID(rawValue: 9), error: .invalidOffset, value: []),
    .publishL2CAPChannel(encryptionRequired: true), .unpublishL2CAPChannel(L2CAPPSM(rawValue: 128)),
  ]

  static let systemMessages: [PhoneMessage] =
    [
      .welcome(version: 1),
      .welcome(
        version: 1, managers: [ManagerID(.peripheral, .restorable("lock")), ManagerID(.central, .restorable("keys"))],
        nextService: 3),
      .refused(reason: "no"), .willTerminate(.memoryPressure),
      .didChangeState(.inactive), .didChangeState(.foreground), .didChangeState(.background),
      .didChangeState(.suspended),
    ] + callbacks.map { .peripheral(.restorable("lock"), $0) }

  static let callbacks: [PeripheralManagerCallback] = [
    .willRestoreState(restored),
    .didUpdateState(.unknown), .didUpdateState(.resetting), .didUpdateState(.unsupported),
    .didUpdateState(.unauthorized), .didUpdateState(.poweredOff), .didUpdateState(.poweredOn),
    .didAddService(service, error: nil),
    .didAddService(service, error: "no room"),
    .didStartAdvertising(error: nil),
    .didStartAdvertising(error: "no room"), .didStartAdvertising(error: "no", code: .alreadyAdvertising),
    .didSubscribe(central, to: characteristic),
    .didUnsubscribe(central, from: characteristic),
    .didReceiveRead(
      ReadRequest(id: RequestID(rawValue: 9), central: central, characteristic: characteristic, offset: 22)),
    .didReceiveWrite([write(0, [1, 2]), write(2, [3])]),
    .didReceiveWrite([]),
    .didUpdateValue(characteristic, queued: true),
    .didUpdateValue(characteristic, queued: false),
    .didUpdateValue(characteristic, queued: false, error: "no"),
    .isReadyToUpdateSubscribers,
    .didPublishL2CAPChannel(psm: L2CAPPSM(rawValue: 128), error: nil),
    .didPublishL2CAPChannel(psm: nil, error: "no room"),
    .didUnpublishL2CAPChannel(L2CAPPSM(rawValue: 128), error: nil),
    .didOpenL2CAPChannel(L2CAPChannel(id: 1, psm: L2CAPPSM(rawValue: 128), central: central)),
  ]

  static func write(_ offset: Int, _ value: [UInt8]) -> WriteRequest {
    WriteRequest(
      id: RequestID(rawValue: 9 + offset), central: central, characteristic: characteristic, offset: offset,
      value: value)
  }
}

extension AppLinkEnd {
  /// The received messages, until the link ends.
  func messages(on loop: any ActorLoop) -> AsyncStream<Incoming> {
    let (messages, continuation) = AsyncStream.makeStream(of: Incoming.self)
    receive(on: loop) { message in
      if let message { continuation.yield(message) } else { continuation.finish() }
    }
    return messages
  }
}
