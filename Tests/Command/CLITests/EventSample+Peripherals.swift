import BleperaAppLink
import BleperaBluetooth
import BleperaRadio

@testable import BleperaPhone
@testable import BleperaRules

extension EventSample {
  private static let strap = PeripheralID(rawValue: "66:77:88:99:AA:BB")

  /// Events of the central role.
  static let peripherals = [
    EventSample(
      .discovered(
        strap,
        Discovery(
          localName: "Strap", serviceUUIDs: [heartRate],
          overflowServiceUUIDs: [OverflowMatch(uuid: lock, bit: 1, rivals: [])])),
      of: "org.example.watch",
      json: #"{"app":"org.example.watch","event":"discovered","localName":"Strap","#
        + #""overflowServiceUUIDs":["C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01"],"peripheral":"66:77:88:99:AA:BB","#
        + #""serviceUUIDs":["180D"],"time":"T"}"#,
      text: #"discovered      org.example.watch  66:77:88:99:AA:BB  "Strap"  180D  "#
        + "overflow area: C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01"),
    EventSample(
      .peripheralConnected(strap, name: "Strap"),
      json: #"{"event":"peripheralConnected","localName":"Strap","peripheral":"66:77:88:99:AA:BB","time":"T"}"#,
      text: #"connected to    66:77:88:99:AA:BB  "Strap""#),
    EventSample(
      .dropped(app: "org.example.watch", .callback("didConnect", strap), .r15), of: "org.example.watch",
      json: #"{"app":"org.example.watch","event":"dropped","pendingEvent":"didConnect","#
        + #""peripheral":"66:77:88:99:AA:BB","rule":"R15","time":"T"}"#,
      text: "dropped         org.example.watch  didConnect  66:77:88:99:AA:BB  (R15)"),
    EventSample(
      .l2capOpened(.peripheral(strap), channel), of: "org.example.watch",
      json: #"{"app":"org.example.watch","event":"l2capOpened","peripheral":"66:77:88:99:AA:BB","psm":128,"time":"T"}"#,
      text: "channel opened  org.example.watch  66:77:88:99:AA:BB  PSM 128"),
    EventSample(
      .l2capClosed(.peripheral(strap), channel, received: 20, sent: 10), of: "org.example.watch",
      json: #"{"app":"org.example.watch","event":"l2capClosed","peripheral":"66:77:88:99:AA:BB","psm":128,"#
        + #""received":20,"sent":10,"time":"T"}"#,
      text: "channel closed  org.example.watch  66:77:88:99:AA:BB  PSM 128  received 20 bytes, sent 10"),
    EventSample(
      .peripheralDisconnected(strap, reason: "\(DisconnectionCause.timeout)"),
      json: #"{"event":"peripheralDisconnected","peripheral":"66:77:88:99:AA:BB","#
        + #""reason":"nothing was received in time","time":"T"}"#,
      text: "disconnected    66:77:88:99:AA:BB  nothing was received in time"),
    EventSample(
      .received(strap, measurement, value: [6, 60]), of: "org.example.watch",
      json: #"{"app":"org.example.watch","characteristic":"2A37","event":"received","peripheral":"66:77:88:99:AA:BB","#
        + #""service":"180D","time":"T","value":"063C"}"#,
      text: "received        66:77:88:99:AA:BB  2A37  06 3C"),
    EventSample(
      .received(strap, note, value: [1]), of: "org.example.watch",
      json: #"{"app":"org.example.watch","characteristic":"2A37","descriptor":"2901","event":"received","#
        + #""peripheral":"66:77:88:99:AA:BB","service":"180D","time":"T","value":"01"}"#,
      text: "received        66:77:88:99:AA:BB  2A37/2901  01"),
    EventSample(
      .writeDropped(strap, measurement, value: [6, 60], reason: "20 writes wait"), of: "org.example.watch",
      json:
        #"{"app":"org.example.watch","characteristic":"2A37","event":"writeDropped","peripheral":"66:77:88:99:AA:BB","#
        + #""reason":"20 writes wait","service":"180D","time":"T","value":"063C"}"#,
      text: "not written     66:77:88:99:AA:BB  2A37  06 3C  20 writes wait"),
    EventSample(
      .writeDropped(strap, note, value: [6, 60], reason: "20 writes wait"), of: "org.example.watch",
      json:
        #"{"app":"org.example.watch","characteristic":"2A37","descriptor":"2901","event":"writeDropped","#
        + #""peripheral":"66:77:88:99:AA:BB","reason":"20 writes wait","service":"180D","time":"T","value":"063C"}"#,
      text: "not written     66:77:88:99:AA:BB  2A37/2901  06 3C  20 writes wait"),
    EventSample(
      .writeDropped(strap, nil, value: [], reason: "20 writes wait"), of: "org.example.watch",
      json: #"{"app":"org.example.watch","event":"writeDropped","peripheral":"66:77:88:99:AA:BB","#
        + #""reason":"20 writes wait","time":"T","value":""}"#,
      text: "not written     org.example.watch  66:77:88:99:AA:BB  (empty)  20 writes wait"),
    EventSample(
      .alert(app: "org.example.watch", strap, reason: "connected"), of: "org.example.watch",
      json: #"{"app":"org.example.watch","event":"alert","peripheral":"66:77:88:99:AA:BB","reason":"connected","#
        + #""time":"T"}"#,
      text: "alert           org.example.watch  66:77:88:99:AA:BB  connected"),
    EventSample(
      .queued(app: "org.example.watch", .callback("didConnect", strap)), of: "org.example.watch",
      json: #"{"app":"org.example.watch","event":"queued","pendingEvent":"didConnect","#
        + #""peripheral":"66:77:88:99:AA:BB","time":"T"}"#,
      text: "queued          org.example.watch  didConnect  66:77:88:99:AA:BB"),
  ]
}
