import BleperaBlueZ
import BleperaBluetooth
import BleperaDBus
import BleperaRadio
import BleperaRules

@testable import BleperaPhone

extension EventSample {
  static let centrals: [EventSample] = [
    EventSample(
      .connected(phone),
      json:
        #"{"central":"00:11:22:33:44:55","event":"connected","time":"T"}"#,
      text: "connected       00:11:22:33:44:55"),
    EventSample(
      .disconnected(phone),
      json:
        #"{"central":"00:11:22:33:44:55","event":"disconnected","time":"T"}"#,
      text: "disconnected    00:11:22:33:44:55"),
    EventSample(
      .paired(phone),
      json:
        #"{"central":"00:11:22:33:44:55","event":"paired","time":"T"}"#,
      text: "paired          00:11:22:33:44:55"),
    EventSample(
      .bondForgotten(address: "00:11:22:33:44:55", isCentral: true),
      json:
        #"{"central":"00:11:22:33:44:55","event":"bondForgotten","time":"T"}"#,
      text: "forgotten       00:11:22:33:44:55"),
    EventSample(
      .bondForgotten(address: "C0:00:00:00:00:01", isCentral: false),
      json:
        #"{"event":"bondForgotten","peripheral":"C0:00:00:00:00:01","time":"T"}"#,
      text: "forgotten       C0:00:00:00:00:01"),
    EventSample(
      .bondLost(address: "00:11:22:33:44:55", isCentral: true, reason: "the phone has no keys"),
      json:
        #"{"central":"00:11:22:33:44:55","event":"bondLost","reason":"the phone has no keys","time":"T"}"#,
      text: "bond lost       00:11:22:33:44:55  the phone has no keys"),
    EventSample(
      .bondLost(address: "C0:00:00:00:00:01", isCentral: false, reason: "the peripheral has lost its keys"),
      json:
        #"{"event":"bondLost","peripheral":"C0:00:00:00:00:01","reason":"the peripheral has lost its keys","time":"T"}"#,
      text: "bond lost       C0:00:00:00:00:01  the peripheral has lost its keys"),
    EventSample(
      .pairingQuestion(PairingQuestion(address: "00:11:22:33:44:55", isCentral: true, .compare(4711))),
      json:
        #"{"central":"00:11:22:33:44:55","event":"pairingQuestion","passkey":"004711","reason":"compare the number "#
        + #"with the number of the central, then 'blepera pair yes' or 'blepera pair no'","time":"T"}"#,
      text: "pairing         00:11:22:33:44:55  004711  compare the number with the number of the central, then "
        + "'blepera pair yes' or 'blepera pair no'"),
    EventSample(
      .pairingQuestion(PairingQuestion(address: "C0:00:00:00:00:01", isCentral: false, .type)),
      json:
        #"{"event":"pairingQuestion","peripheral":"C0:00:00:00:00:01","reason":"the peripheral shows a passkey of six "#
        + #"digits: 'blepera pair 123456' types it, 'blepera pair no' refuses","time":"T"}"#,
      text: "pairing         C0:00:00:00:00:01  the peripheral shows a passkey of six digits: 'blepera pair 123456' "
        + "types it, 'blepera pair no' refuses"),
    EventSample(
      .pairingQuestion(PairingQuestion(address: "C0:00:00:00:00:01", isCentral: false, .show(4711))),
      json:
        #"{"event":"pairingQuestion","passkey":"004711","peripheral":"C0:00:00:00:00:01","reason":"type the passkey at "#
        + #"the peripheral","time":"T"}"#,
      text: "pairing         C0:00:00:00:00:01  004711  type the passkey at the peripheral"),
    EventSample(
      .pairingRefused(phone, .mode),
      json:
        #"{"central":"00:11:22:33:44:55","event":"pairingRefused","reason":"the phone refuses every pairing","time":"T"}"#,
      text: "not paired      00:11:22:33:44:55  the phone refuses every pairing"),
    EventSample(
      .passkey(phone, 4711),
      json:
        #"{"central":"00:11:22:33:44:55","event":"passkey","passkey":"004711","time":"T"}"#,
      text: "passkey         00:11:22:33:44:55  004711"),
    EventSample(
      .l2capPublished(channel, isEncrypted: true), of: "org.example.lock",
      json:
        #"{"app":"org.example.lock","encrypted":true,"event":"l2capPublished","psm":128,"time":"T"}"#,
      text: "L2CAP channel   org.example.lock  PSM 128  encrypted"),
    EventSample(
      .l2capFailed(RadioFailure("all numbers from 128 to 255 are in use")), of: "org.example.lock",
      json:
        #"{"app":"org.example.lock","event":"l2capFailed","reason":"all numbers from 128 to 255 are in use","time":"T"}"#,
      text: "no channel      org.example.lock  all numbers from 128 to 255 are in use"),
    EventSample(
      .l2capUnpublished(channel), of: "org.example.lock",
      json:
        #"{"app":"org.example.lock","event":"l2capUnpublished","psm":128,"time":"T"}"#,
      text: "channel off     org.example.lock  PSM 128"),
    EventSample(
      .l2capOpened(.central(phone.id), channel), of: "org.example.lock",
      json:
        #"{"app":"org.example.lock","central":"00:11:22:33:44:55","event":"l2capOpened","psm":128,"time":"T"}"#,
      text: "channel opened  org.example.lock  00:11:22:33:44:55  PSM 128"),
    EventSample(
      .l2capClosed(.central(phone.id), channel, received: 20, sent: 10), of: "org.example.lock",
      json:
        #"{"app":"org.example.lock","central":"00:11:22:33:44:55","event":"l2capClosed","psm":128,"received":20,"sent":10,"time":"T"}"#,
      text: "channel closed  org.example.lock  00:11:22:33:44:55  PSM 128  received 20 bytes, sent 10"),
    EventSample(
      .pairingUnavailable(RadioFailure("no answer within 5.0 seconds")),
      json:
        #"{"event":"pairingAgentFailed","reason":"no answer within 5.0 seconds","time":"T"}"#,
      text: "no pairing      no answer within 5.0 seconds"),
    EventSample(
      .subscribed(phone, measurement),
      json:
        #"{"central":"00:11:22:33:44:55","characteristic":"2A37","event":"subscribed","service":"180D","#
        + #""time":"T"}"#,
      text: "subscribed      00:11:22:33:44:55  2A37"),
    EventSample(
      .unsubscribed(phone, measurement),
      json:
        #"{"central":"00:11:22:33:44:55","characteristic":"2A37","event":"unsubscribed","service":"180D","#
        + #""time":"T"}"#,
      text: "unsubscribed    00:11:22:33:44:55  2A37"),
  ]

  static let values: [EventSample] = [
    EventSample(
      .read(phone, measurement, offset: 0, .value([6, 72]), isCached: false, rule: nil),
      json:
        #"{"cached":false,"central":"00:11:22:33:44:55","characteristic":"2A37","event":"read","offset":0,"#
        + #""service":"180D","time":"T","value":"0648"}"#,
      text: "read            00:11:22:33:44:55  2A37  06 48"),
    EventSample(
      .read(phone, note, offset: 22, .value([]), isCached: true, rule: nil),
      json:
        #"{"cached":true,"central":"00:11:22:33:44:55","characteristic":"2A37","descriptor":"2901","#
        + #""event":"read","offset":22,"service":"180D","time":"T","value":""}"#,
      text: "read            00:11:22:33:44:55  2A37/2901  (empty)  from byte 22  (cached)"),
    EventSample(
      .read(phone, measurement, offset: 0, .error(.insufficientEncryption), isCached: false, rule: nil),
      json:
        #"{"cached":false,"central":"00:11:22:33:44:55","characteristic":"2A37","error":{"code":15,"#
        + #""name":"insufficientEncryption"},"event":"read","offset":0,"service":"180D","time":"T"}"#,
      text: "read            00:11:22:33:44:55  2A37  refused: 0x0F insufficientEncryption"),
    EventSample(
      .read(phone, measurement, offset: 0, .error(.unlikelyError), isCached: false, rule: .r4),
      json:
        #"{"cached":false,"central":"00:11:22:33:44:55","characteristic":"2A37","error":{"code":14,"#
        + #""name":"unlikelyError"},"event":"read","offset":0,"rule":"R4","service":"180D","time":"T"}"#,
      text: "read            00:11:22:33:44:55  2A37  refused: 0x0E unlikelyError  (R4)"),
    EventSample(
      .write(phone, measurement, offset: 0, value: [1], error: .unlikelyError, isAcknowledged: true, rule: .r6),
      json:
        #"{"acknowledged":true,"central":"00:11:22:33:44:55","characteristic":"2A37","error":{"code":14,"#
        + #""name":"unlikelyError"},"event":"write","offset":0,"rule":"R6","service":"180D","time":"T","#
        + #""value":"01"}"#,
      text: "write           00:11:22:33:44:55  2A37  01  refused: 0x0E unlikelyError  (R6)"),
    EventSample(
      .write(phone, measurement, offset: 0, value: [1], error: nil, isAcknowledged: true, rule: nil),
      json:
        #"{"acknowledged":true,"central":"00:11:22:33:44:55","characteristic":"2A37","event":"write","#
        + #""offset":0,"service":"180D","time":"T","value":"01"}"#,
      text: "write           00:11:22:33:44:55  2A37  01"),
    EventSample(
      .write(
        phone, measurement, offset: 18, value: Array(0..<21), error: ATTError(rawValue: 0x80), isAcknowledged: false,
        rule: nil),
      json:
        #"{"acknowledged":false,"central":"00:11:22:33:44:55","characteristic":"2A37","error":{"code":128},"#
        + #""event":"write","offset":18,"service":"180D","time":"T","#
        + #""value":"000102030405060708090A0B0C0D0E0F1011121314"}"#,
      text: "write           00:11:22:33:44:55  2A37  00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 … "
        + "(21 bytes)  from byte 18  (no response)  refused: 0x80"),
    EventSample(
      .write(
        phone, measurement, offset: 18, value: [1], error: nil, isAcknowledged: true, rule: nil,
        piece: PhoneEvent.Piece(number: 2, count: 3)),
      json:
        #"{"acknowledged":true,"central":"00:11:22:33:44:55","characteristic":"2A37","event":"write","#
        + #""offset":18,"piece":2,"pieces":3,"service":"180D","time":"T","value":"01"}"#,
      text: "write           00:11:22:33:44:55  2A37  01  from byte 18  (piece 2 of 3)"),
    EventSample(
      .write(phone, note, offset: 0, value: [0x61], error: .writeNotPermitted, isAcknowledged: true, rule: nil),
      json:
        #"{"acknowledged":true,"central":"00:11:22:33:44:55","characteristic":"2A37","descriptor":"2901","#
        + #""error":{"code":3,"name":"writeNotPermitted"},"event":"write","offset":0,"service":"180D","#
        + #""time":"T","value":"61"}"#,
      text: "write           00:11:22:33:44:55  2A37/2901  61  refused: 0x03 writeNotPermitted"),
    EventSample(
      .notified([phone, tablet], measurement, value: Array(0..<20)),
      json:
        #"{"centrals":["00:11:22:33:44:55","66:77:88:99:AA:BB"],"characteristic":"2A37","event":"notified","#
        + #""service":"180D","time":"T","value":"000102030405060708090A0B0C0D0E0F10111213"}"#,
      text: "notified        00:11:22:33:44:55 66:77:88:99:AA:BB  2A37  "
        + "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13"),
    EventSample(
      .notified([watch, phone], measurement, value: Array(0..<21)),
      json:
        #"{"centrals":["66:77:88:99:AA:BB","00:11:22:33:44:55"],"characteristic":"2A37","event":"notified","limit":20,"#
        + #""service":"180D","time":"T","value":"000102030405060708090A0B0C0D0E0F1011121314"}"#,
      text: "notified        66:77:88:99:AA:BB 00:11:22:33:44:55  2A37  "
        + "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 … (21 bytes)  cut after 20 bytes"),
    EventSample(
      .updateRefused(measurement, value: [6], reason: "others would receive it"),
      json:
        #"{"characteristic":"2A37","event":"updateRefused","reason":"others would receive it","#
        + #""service":"180D","time":"T","value":"06"}"#,
      text: "not notified    2A37  06  others would receive it"),
    EventSample(
      .apiMisuse(call: "addService", .poweredOff),
      json:
        #"{"event":"apiMisuse","reason":"addService is ignored until the state is poweredOn; it is poweredOff","#
        + #""time":"T"}"#,
      text: "API misuse      addService is ignored until the state is poweredOn; it is poweredOff"),
    EventSample(
      .confirmed(measurement),
      json:
        #"{"characteristic":"2A37","event":"confirmed","service":"180D","time":"T"}"#,
      text: "confirmed       2A37"),
  ]
}
