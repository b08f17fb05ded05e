import BleperaBluetooth
import BleperaPhone
import BleperaRules

extension EventSample {
  static let apps: [EventSample] = [
    EventSample(
      .state(app: "org.example.lock", .background, .userLeft),
      json:
        #"{"app":"org.example.lock","event":"state","reason":"moved to the background","state":"background","time":"T"}"#,
      text: "background      org.example.lock  moved to the background"),
    EventSample(
      .state(app: "org.example.lock", .suspended, .overran),
      json:
        #"{"app":"org.example.lock","event":"state","reason":"it exceeded its time for the event","#
        + #""state":"suspended","time":"T"}"#,
      text: "suspended       org.example.lock  it exceeded its time for the event"),
    EventSample(
      .queued(app: "org.example.lock", .subscribed("00:11:22:33:44:55")),
      json:
        #"{"app":"org.example.lock","central":"00:11:22:33:44:55","event":"queued","#
        + #""pendingEvent":"subscribed","time":"T"}"#,
      text: "queued          org.example.lock  subscribed  00:11:22:33:44:55"),
    EventSample(
      .dropped(app: "org.example.lock", .unsubscribed("00:11:22:33:44:55"), .r4),
      json:
        #"{"app":"org.example.lock","central":"00:11:22:33:44:55","event":"dropped","#
        + #""pendingEvent":"unsubscribed","rule":"R4","time":"T"}"#,
      text: "dropped         org.example.lock  unsubscribed  00:11:22:33:44:55  (R4)"),
    EventSample(
      .terminated(app: "org.example.lock", .exceededLimits),
      json:
        #"{"app":"org.example.lock","event":"terminated","reason":"exceeding its limits","time":"T"}"#,
      text: "terminated      org.example.lock  exceeding its limits"),
    EventSample(
      .ended(app: "org.example.lock"),
      json:
        #"{"app":"org.example.lock","event":"removed","time":"T"}"#,
      text: "removed         org.example.lock"),
  ]
}
