import BleperaAppLink
import BleperaPhone
import BleperaRadio

@testable import BleperaBluetooth

extension EventSample {
  private static let app = "org.example.lock"

  /// Events of apps. JSON has the app's identifier; in text the attribute is enough.
  static let ofApps: [EventSample] = [
    EventSample(
      .publishingFailed(service: heartRate, reason: "no room"), of: app,
      json:
        #"{"app":"org.example.lock","event":"publishingFailed","reason":"no room","service":"180D","#
        + #""time":"T"}"#,
      text: "not published   180D  no room"),
    EventSample(
      .published(
        ServiceDefinition(uuid: heartRate),
        ServiceHandles(
          start: AttributeHandle(rawValue: 0x0100), end: AttributeHandle(rawValue: 0x0100), characteristics: [])),
      of: app,
      json:
        #"{"app":"org.example.lock","event":"published","handles":[256,256],"service":"180D","time":"T"}"#,
      text: "published       180D  handles 0x0100 to 0x0100"),
    EventSample(
      .moved(heartRate, ServiceHandles(start: 0x0143, end: 0x0148)), of: app,
      json:
        #"{"app":"org.example.lock","event":"moved","handles":[323,328],"service":"180D","time":"T"}"#,
      text: "moved           180D  handles 0x0143 to 0x0148"),
    EventSample(
      .unpublished(service: heartRate), of: app,
      json:
        #"{"app":"org.example.lock","event":"unpublished","service":"180D","time":"T"}"#,
      text: "unpublished     180D"),
    EventSample(
      .subscribed(phone, measurement), of: app,
      json:
        #"{"app":"org.example.lock","central":"00:11:22:33:44:55","characteristic":"2A37","#
        + #""event":"subscribed","service":"180D","time":"T"}"#,
      text: "subscribed      00:11:22:33:44:55  2A37"),
    EventSample(
      .unsubscribed(phone, measurement), of: app,
      json:
        #"{"app":"org.example.lock","central":"00:11:22:33:44:55","characteristic":"2A37","#
        + #""event":"unsubscribed","service":"180D","time":"T"}"#,
      text: "unsubscribed    00:11:22:33:44:55  2A37"),
    EventSample(
      .read(
        phone, measurement, offset: 0, .value([6, 72]), isCached: false, rule: nil, took: .microseconds(1500)), of: app,
      json:
        #"{"app":"org.example.lock","cached":false,"central":"00:11:22:33:44:55","characteristic":"2A37","#
        + #""event":"read","offset":0,"responseMilliseconds":1,"service":"180D","time":"T","value":"0648"}"#,
      text: "read            00:11:22:33:44:55  2A37  06 48"),
    EventSample(
      .write(
        phone, measurement, offset: 0, value: [1], error: nil, isAcknowledged: true, rule: nil, took: .seconds(3)),
      of: app,
      json:
        #"{"acknowledged":true,"app":"org.example.lock","central":"00:11:22:33:44:55","#
        + #""characteristic":"2A37","event":"write","offset":0,"responseMilliseconds":3000,"service":"180D","#
        + #""time":"T","value":"01"}"#,
      text: "write           00:11:22:33:44:55  2A37  01"),
    EventSample(
      .notified([phone], measurement, value: [1]), of: app,
      json:
        #"{"app":"org.example.lock","centrals":["00:11:22:33:44:55"],"characteristic":"2A37","#
        + #""event":"notified","service":"180D","time":"T","value":"01"}"#,
      text: "notified        00:11:22:33:44:55  2A37  01"),
    EventSample(
      .updateRefused(measurement, value: [6], reason: "others would receive it"), of: app,
      json:
        #"{"app":"org.example.lock","characteristic":"2A37","event":"updateRefused","#
        + #""reason":"others would receive it","service":"180D","time":"T","value":"06"}"#,
      text: "not notified    2A37  06  others would receive it"),
    EventSample(
      .apiMisuse(call: "addService", .poweredOff), of: app,
      json:
        #"{"app":"org.example.lock","event":"apiMisuse","reason":"addService is ignored until the state is poweredOn; it is poweredOff","#
        + #""time":"T"}"#,
      text: "API misuse      org.example.lock  addService is ignored until the state is poweredOn; it is poweredOff"),
    EventSample(
      .confirmed(measurement), of: app,
      json:
        #"{"app":"org.example.lock","characteristic":"2A37","event":"confirmed","service":"180D","time":"T"}"#,
      text: "confirmed       2A37"),
    EventSample(
      .kept(["00:11:22:33:44:55"], measurement, value: [1]), of: app,
      json:
        #"{"app":"org.example.lock","centrals":["00:11:22:33:44:55"],"characteristic":"2A37","#
        + #""event":"valueRetained","service":"180D","time":"T","value":"01"}"#,
      text: "retained        00:11:22:33:44:55  2A37  01"),
    EventSample(
      .kept(["00:11:22:33:44:55"], measurement, value: [UInt8](repeating: 1, count: 525)), of: app,
      json:
        #"{"app":"org.example.lock","centrals":["00:11:22:33:44:55"],"characteristic":"2A37","#
        + #""event":"valueRetained","limit":524,"service":"180D","time":"T","value":"#
        + #""\#(Array(repeating: "01", count: 525).joined())"}"#,
      text: "retained        00:11:22:33:44:55  2A37  \(Array(repeating: "01", count: 20).joined(separator: " ")) … "
        + "(525 bytes)  cut after 524 bytes"),
    EventSample(
      .asked(ControlRequest(.background, app: app)),
      json:
        #"{"app":"org.example.lock","command":"background","event":"commandReceived","time":"T"}"#,
      text: "background      org.example.lock"),
    EventSample(
      .asked(ControlRequest(.bluetoothOff, method: .controlCenter)),
      json:
        #"{"command":"bluetoothOff","event":"commandReceived","method":"controlCenter","time":"T"}"#,
      text: "bluetoothOff    by controlCenter"),
    EventSample(
      .asked(ControlRequest(.notify, app: app, characteristic: measurement.characteristic, value: [6, 72])),
      json:
        #"{"app":"org.example.lock","characteristic":"2A37","command":"notify","event":"commandReceived","#
        + #""time":"T","value":"0648"}"#,
      text: "notify          org.example.lock  2A37  06 48"),
    EventSample(
      .asked(ControlRequest(.defect, defect: .writeStall)),
      json:
        #"{"command":"defect","defect":"write-stall","event":"commandReceived","on":true,"time":"T"}"#,
      text: "defect          write-stall  on"),
  ]
}
