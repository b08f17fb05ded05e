import BlueZ
import DBus
import GATT
import System

extension EventSample {
  static let radio: [EventSample] = [
    EventSample(
      .radio(.noDaemon), json: #"{"event":"noDaemon","time":"T"}"#, text: "no bluetoothd"),
    EventSample(
      .radio(.noAdapter(wanted: nil)), json: #"{"event":"noAdapter","time":"T"}"#, text: "no adapter"),
    EventSample(
      .radio(.noAdapter(wanted: "hci1")), json: #"{"adapter":"hci1","event":"noAdapter","time":"T"}"#,
      text: "no adapter      hci1"),
    EventSample(
      .radio(.poweredOff(adapter: "hci0")), json: #"{"adapter":"hci0","event":"poweredOff","time":"T"}"#,
      text: "powered off     hci0"),
    EventSample(
      .radio(.poweredOn(adapter: "hci0")), json: #"{"adapter":"hci0","event":"poweredOn","time":"T"}"#,
      text: "powered on      hci0"),
    EventSample(
      .poweringFailed(adapter: "hci0", .timedOut(.seconds(5))),
      json: #"{"adapter":"hci0","event":"poweringFailed","reason":"no answer within 5.0 seconds","time":"T"}"#,
      text: "not powered     hci0  no answer within 5.0 seconds"),
    EventSample(.busLost, json: #"{"event":"busLost","time":"T"}"#, text: "no bus"),
  ]

  static let publishing: [EventSample] = [
    EventSample(
      .published(ServiceDefinition(uuid: heartRate), ServiceHandles(start: 0x0100, end: 0x0105)),
      json: #"{"event":"published","handles":[256,261],"service":"180D","time":"T"}"#,
      text: "published       180D  handles 0x0100 to 0x0105"),
    EventSample(
      .publishingFailed(service: lock, reason: "no room"),
      json: #"{"event":"publishingFailed","reason":"no room","service":"C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01","#
        + #""time":"T"}"#,
      text: "not published   C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01  no room"),
    EventSample(
      .unpublished(service: heartRate), json: #"{"event":"unpublished","service":"180D","time":"T"}"#,
      text: "unpublished     180D"),
    EventSample(
      .advertising(localName: "Heart Rate", serviceUUIDs: [heartRate], left: []),
      json: #"{"event":"advertising","localName":"Heart Rate","serviceUUIDs":["180D"],"time":"T"}"#,
      text: #"advertising     "Heart Rate"  180D"#),
    EventSample(
      .advertising(localName: nil, serviceUUIDs: [heartRate], left: [lock]),
      json: #"{"event":"advertising","leftOut":["C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01"],"serviceUUIDs":["180D"],"#
        + #""time":"T"}"#,
      text: "advertising     180D  (no room for C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01)"),
    EventSample(
      .advertising(localName: "a/\"é\"\n", serviceUUIDs: [], left: []),
      json: #"{"event":"advertising","localName":"a/\"é\"\n","serviceUUIDs":[],"time":"T"}"#,
      text: #"advertising     "a/\"é\"\n""#),
    EventSample(
      .advertisingFailed(refusal),
      json: #"{"event":"advertisingFailed","reason":"org.bluez.Error.Failed: Failed to register advertisement","#
        + #""time":"T"}"#,
      text: "not advertised  org.bluez.Error.Failed: Failed to register advertisement"),
    EventSample(.advertisingLost, json: #"{"event":"advertisingLost","time":"T"}"#, text: "off the air"),
    EventSample(.advertisingStopped, json: #"{"event":"advertisingStopped","time":"T"}"#, text: "off the air"),
  ]
}
