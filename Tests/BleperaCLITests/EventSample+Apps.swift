import Policy
import System

extension EventSample {
  static let apps: [EventSample] = [
    EventSample(
      .state(app: "org.example.lock", .background, .userLeft),
      json: #"{"app":"org.example.lock","event":"state","reason":"left","state":"background","time":"T"}"#,
      text: "background      org.example.lock  left"),
    EventSample(
      .state(app: "org.example.lock", .suspended, .overstayed),
      json: #"{"app":"org.example.lock","event":"state","reason":"cut off: it has overstayed its budget","#
        + #""state":"suspended","time":"T"}"#,
      text: "suspended       org.example.lock  cut off: it has overstayed its budget"),
    EventSample(
      .queued(app: "org.example.lock", .subscribed("00:11:22:33:44:55")),
      json: #"{"app":"org.example.lock","central":"00:11:22:33:44:55","event":"queued","time":"T","#
        + #""what":"subscribed"}"#,
      text: "queued          org.example.lock  subscribed  00:11:22:33:44:55"),
    EventSample(
      .dropped(app: "org.example.lock", .unsubscribed("00:11:22:33:44:55")),
      json: #"{"app":"org.example.lock","central":"00:11:22:33:44:55","event":"dropped","time":"T","#
        + #""what":"unsubscribed"}"#,
      text: "dropped         org.example.lock  unsubscribed  00:11:22:33:44:55"),
    EventSample(
      .terminated(app: "org.example.lock", .exceededLimits),
      json: #"{"app":"org.example.lock","event":"terminated","reason":"it has exceeded its limits","time":"T"}"#,
      text: "terminated      org.example.lock  it has exceeded its limits"),
    EventSample(
      .ended(app: "org.example.lock"), json: #"{"app":"org.example.lock","event":"ended","time":"T"}"#,
      text: "ended           org.example.lock"),
  ]
}
