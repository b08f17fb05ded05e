import BleperaBlueZ
import BleperaDBus
import BleperaPhone
import BleperaRadio
import BleperaRules

@testable import BleperaBluetooth

extension EventSample {
  static let radio: [EventSample] = [
    EventSample(
      .radio(.noDaemon()),
      json:
        #"{"event":"noDaemon","time":"T"}"#, text: "no bluetoothd"),
    EventSample(
      .radio(.noDaemon(crash: "a known crash is possible: bluetoothd 5.87 crashes")),
      json:
        #"{"event":"noDaemon","reason":"a known crash is possible: bluetoothd 5.87 crashes","time":"T"}"#,
      text: "no bluetoothd   a known crash is possible: bluetoothd 5.87 crashes"),
    EventSample(
      .radio(.noAdapter(wanted: nil)),
      json:
        #"{"event":"noAdapter","time":"T"}"#, text: "no adapter"),
    EventSample(
      .radio(.noAdapter(wanted: "hci1")),
      json:
        #"{"adapter":"hci1","event":"noAdapter","time":"T"}"#,
      text: "no adapter      hci1"),
    EventSample(
      .radio(.noAdapter(wanted: "hci1", reason: "The controller has closed the connection.")),
      json:
        #"{"adapter":"hci1","event":"noAdapter","reason":"The controller has closed the connection.","time":"T"}"#,
      text: "no adapter      hci1  The controller has closed the connection."),
    EventSample(
      .radio(.poweredOff(adapter: "hci0")),
      json:
        #"{"adapter":"hci0","event":"poweredOff","time":"T"}"#,
      text: "powered off     hci0"),
    EventSample(
      .radio(.poweredOn(adapter: "hci0")),
      json:
        #"{"adapter":"hci0","event":"poweredOn","time":"T"}"#,
      text: "powered on      hci0"),
    EventSample(
      .poweringFailed(adapter: "hci0", RadioFailure("no answer within 5.0 seconds")),
      json:
        #"{"adapter":"hci0","event":"powerOnFailed","reason":"no answer within 5.0 seconds","time":"T"}"#,
      text: "not powered     hci0  no answer within 5.0 seconds"),
    EventSample(
      .radioEnded("the message bus has closed the connection"),
      json:
        #"{"event":"busLost","time":"T"}"#, text: "no bus"),
    EventSample(
      .radioInterrupted("the message bus has closed the connection"),
      json:
        #"{"event":"busLost","time":"T"}"#, text: "no bus"),
  ]

  static let publishing: [EventSample] = [
    EventSample(
      .published(ServiceDefinition(uuid: heartRate), ServiceHandles(start: 0x0100, end: 0x0105)),
      json:
        #"{"event":"published","handles":[256,261],"service":"180D","time":"T"}"#,
      text: "published       180D  handles 0x0100 to 0x0105"),
    EventSample(
      .publishingFailed(service: lock, reason: "no room"),
      json:
        #"{"event":"publishingFailed","reason":"no room","service":"C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01","#
        + #""time":"T"}"#,
      text: "not published   C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01  no room"),
    EventSample(
      .unpublished(service: heartRate),
      json:
        #"{"event":"unpublished","service":"180D","time":"T"}"#,
      text: "unpublished     180D"),
    EventSample(
      .moved(heartRate, ServiceHandles(start: 0x0143, end: 0x0148)),
      json:
        #"{"event":"moved","handles":[323,328],"service":"180D","time":"T"}"#,
      text: "moved           180D  handles 0x0143 to 0x0148"),
    EventSample(
      .advertising(plan(.foreground, "Heart Rate", [heartRate]), intervalHonored: true),
      json:
        #"{"advertisingData":"02011A020A0C03030D180B0948656172742052617465","event":"advertising","#
        + #""interval":{"maximum":181.25,"minimum":181.25},"intervalHonored":true,"#
        + #""intervalKind":"foreground","localName":"Heart Rate","scanResponse":"","serviceUUIDs":["180D"],"time":"T"}"#,
      text: #"advertising     "Heart Rate"  180D  every 181.25 ms"#),
    EventSample(
      .advertising(plan(.background, "Heart Rate", [heartRate, lock]), intervalHonored: false),
      json:
        #"{"advertisingData":"02011A020A0C0CFF4C0010077B1FF082030038","event":"advertising","#
        + #""interval":{"maximum":270,"minimum":270},"intervalHonored":false,"#
        + #""intervalKind":"background","overflowServiceUUIDs":["180D","#
        + #""C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01"],"reasons":["180D: in the overflow area, bit 61 (R2)","#
        + #""C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01: in the overflow area, bit 47 (R2)","#
        + #""\"Heart Rate\": not advertised (R2)"],"scanResponse":"14FF4C000100000000008000200000000000000000","#
        + #""serviceUUIDs":[],"time":"T"}"#,
      text: "advertising     overflow area: 180D C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01  every 270 ms requested"),
    EventSample(
      .advertising(plan(.foreground, "a/\"é\"\n", []), intervalHonored: nil),
      json:
        #"{"advertisingData":"02011A020A0C0809612F22C3A9220A","event":"advertising","#
        + #""interval":{"maximum":181.25,"minimum":181.25},"intervalKind":"foreground","#
        + #""localName":"a/\"é\"\n","scanResponse":"","serviceUUIDs":[],"time":"T"}"#,
      text: #"advertising     "a/\"é\"\n"  every 181.25 ms requested"#),
    EventSample(
      .silent(plan(.background, "Heart Rate", [])),
      json:
        #"{"event":"advertisingSuppressed","reasons":["\"Heart Rate\": not advertised (R2)"],"time":"T"}"#,
      text: #"suppressed      "Heart Rate": not advertised (R2)"#),
    EventSample(
      .advertisingWithheld(app: "org.example.lock", .r12),
      json:
        #"{"app":"org.example.lock","event":"advertisingWithheld","rule":"R12","time":"T"}"#,
      text: "withheld        org.example.lock  not on the air until the foreground: requested in the background  (R12)"),
    EventSample(
      .intervalsIgnored("too old"),
      json:
        #"{"event":"intervalsIgnored","reason":"too old","time":"T"}"#,
      text: "intervals       too old"),
    EventSample(
      .packetsNotExact("not here"),
      json:
        #"{"event":"packetsNotExact","reason":"not here","time":"T"}"#,
      text: "packets         not here"),
    EventSample(
      .advertisingFailed(refusal),
      json:
        #"{"event":"advertisingFailed","reason":"org.bluez.Error.Failed: Failed to register advertisement","#
        + #""time":"T"}"#,
      text: "not advertised  org.bluez.Error.Failed: Failed to register advertisement"),
    EventSample(
      .advertisingLost,
      json:
        #"{"event":"advertisingLost","time":"T"}"#, text: "off the air"),
    EventSample(
      .advertisingStopped,
      json:
        #"{"event":"advertisingStopped","time":"T"}"#, text: "off the air"),
  ]

  private static func plan(
    _ state: AppState, _ localName: String, _ serviceUUIDs: [BluetoothUUID]
  ) -> AdvertisementPlan {
    AdvertisementPlanner.plan(
      [
        Advertiser(
          app: AppID(rawValue: 1), state: state, hasBackgroundMode: true,
          fields: AdvertisementData(localName: localName, serviceUUIDs: serviceUUIDs))
      ], rules: .newest)
  }
}
