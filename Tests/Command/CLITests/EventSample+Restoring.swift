import BleperaBluetooth
import BleperaRules
import FoundationEssentials

@testable import BleperaPhone

extension EventSample {
  static let restoring: [EventSample] = [
    EventSample(
      .preserved(app: "org.example.lock", .crash),
      json:
        #"{"app":"org.example.lock","event":"preserved","reason":"after a crash or a kill","time":"T"}"#,
      text: "preserved       org.example.lock  after a crash or a kill"),
    EventSample(
      .restored(
        app: "org.example.lock", services: [BluetoothUUID(0x180D as UInt16)], subscribers: 2, isSuspended: true,
        since: Date(timeIntervalSince1970: 1_700_000_000)),
      json:
        #"{"app":"org.example.lock","awaitedSubscriptions":2,"event":"restored","#
        + #""preservedSince":"2023-11-14T22:13:20Z","serviceUUIDs":["180D"],"state":"suspended","time":"T"}"#,
      text: "restored        org.example.lock  1 service, 2 subscribers, suspended, since 2023-11-14T22:13:20Z"),
    EventSample(
      .restored(
        app: "org.example.lock", services: [BluetoothUUID(0x180D as UInt16)], subscribers: 1, isSuspended: false,
        since: nil),
      json:
        #"{"app":"org.example.lock","awaitedSubscriptions":1,"event":"restored","serviceUUIDs":["180D"],"time":"T"}"#,
      text: "restored        org.example.lock  1 service, 1 subscriber"),
    EventSample(
      .restored(
        app: "org.example.watch", services: [], subscribers: 0,
        peripherals: [PeripheralID(rawValue: "00:11:22:33:44:55"), PeripheralID(rawValue: "66:77:88:99:AA:BB")],
        subscriptions: 1, isSuspended: false, since: nil),
      json:
        #"{"app":"org.example.watch","awaitedSubscriptions":0,"event":"restored","#
        + #""peripherals":["00:11:22:33:44:55","66:77:88:99:AA:BB"],"serviceUUIDs":[],"subscriptions":1,"time":"T"}"#,
      text: "restored        org.example.watch  2 peripherals (00:11:22:33:44:55 66:77:88:99:AA:BB), 1 subscription"),
    EventSample(
      .screenRestored,
      json:
        #"{"event":"restored","screenLocked":true,"time":"T"}"#,
      text: "restored        the screen is off, as before; 'blepera unlock' switches it on"),
    EventSample(
      .relaunching(app: "org.example.lock", .wokenForRequest(.write)),
      json:
        #"{"app":"org.example.lock","event":"relaunching","reason":"woken for a write","time":"T"}"#,
      text: "relaunching     org.example.lock  woken for a write"),
    EventSample(
      .relaunchFailed(app: "org.example.lock", reason: "no such file"),
      json:
        #"{"app":"org.example.lock","event":"relaunchFailed","reason":"no such file","time":"T"}"#,
      text: "not relaunched  org.example.lock  no such file"),
    EventSample(
      .relaunchGivenUp(app: "org.example.lock"),
      json:
        #"{"app":"org.example.lock","event":"relaunchGivenUp","time":"T"}"#,
      text: "given up        org.example.lock"),
    EventSample(
      .kept(
        ["00:11:22:33:44:55"],
        AttributeName(service: BluetoothUUID(0x180D as UInt16), characteristic: BluetoothUUID(0x2A37 as UInt16)),
        value: [6, 72]),
      json:
        #"{"centrals":["00:11:22:33:44:55"],"characteristic":"2A37","event":"valueRetained","#
        + #""service":"180D","time":"T","value":"0648"}"#,
      text: "retained        00:11:22:33:44:55  2A37  06 48"),
    EventSample(
      .stateDamaged("it is damaged"),
      json:
        #"{"event":"stateDamaged","reason":"it is damaged","time":"T"}"#,
      text: "damaged         it is damaged"),
    EventSample(
      .notSaved("the disk is full"),
      json:
        #"{"event":"savingFailed","reason":"the disk is full","time":"T"}"#,
      text: "not saved       the disk is full"),
    EventSample(
      .notSaved("the app is left out of the saved state"), of: "org.example.lock",
      json:
        #"{"app":"org.example.lock","event":"savingFailed","reason":"the app is left out of the saved state","time":"T"}"#,
      text: "not saved       org.example.lock  the app is left out of the saved state"),
  ]
}
