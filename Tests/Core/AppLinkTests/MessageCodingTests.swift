import BleperaBluetooth
import Testing

@testable import BleperaAppLink

@Suite struct MessageCodingTests {
  private static func decode<Value: JSONLineReadable>(
    _ json: String, as type: Value.Type = Value.self
  ) throws(JSONLine.Fault) -> Value {
    try JSONLine.decode(type, Array(json.utf8))
  }

  /// White space around each token, which the writer does not write.
  private static func spaced(_ json: String) -> String {
    var (text, isQuoted, isEscaped) = ("\t", false, false)
    for character in json {
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
      text += isQuoted || !"{}[]:,".contains(character) ? "\(character)" : " \(character)\r\n "
    }
    return text
  }

  @Test(
    arguments: [
      (
        #"{"peripheral":{"id":"a","call":{"updateValue":{"value":[6],"centrals":["a"],"characteristic":"#
          + #"{"service":2,"index":1}}}}}"#,
        .peripheral(
          .restorable("a"), .updateValue(Samples.characteristic, value: [6], centrals: [CentralID(rawValue: "a")]))
      ),
      (
        #"{"peripheral":{"call":{"respond":{"value":[1],"error":7,"request":9}},"id":1}}"#,
        .peripheral(.number(1), .respond(RequestID(rawValue: 9), error: .invalidOffset, value: [1]))
      ),
      (
        #"{"peripheral":{"call":{"respond":{"request":9,"error":7,"note":{"error":8,"list":[{}]},"value":[1]}},"id":1}}"#,
        .peripheral(.number(1), .respond(RequestID(rawValue: 9), error: .invalidOffset, value: [1]))
      ),
      (
        #"{"peripheral":{"call":{"note":[1e3],"respond":{"request":9,"value":[1],"error":7},"of":{"mine":-1.5}},"id":1}}"#,
        .peripheral(.number(1), .respond(RequestID(rawValue: 9), error: .invalidOffset, value: [1]))
      ),
      (
        #"{"hello":{"version":1,"process":{"folder":"/srv","environment":{"LANG":"C"},"arguments":["app","-v"]},"#
          + #""launch":"background","app":{"name":"Heart Rate","bundleIdentifier":"org.blepera.heart-rate","#
          + #""backgroundModes":["bluetooth-peripheral"]}}}"#,
        .hello(version: 1, app: Samples.app, launch: .background, process: Samples.process)
      ),
      (
        #"{"peripheral":{"id":1,"note":{"id":2},"call":{"removeService":{"id":2}}}}"#,
        .peripheral(.number(1), .removeService(Samples.service))
      ),
    ] as [(String, AppMessage)])
  func `keys may come in any order, with others between them`(json: String, expected: AppMessage) throws {
    #expect(try Self.decode(json) == expected)
    #expect(try Self.decode(Self.spaced(json)) == expected)
  }

  @Test func `objects in one another have a limit`() throws {
    func nested(_ count: Int) -> String {
      #"{"didFinish":{"note":"# + String(repeating: #"{"a":"#, count: count) + "1"
        + String(repeating: "}", count: count + 2)
    }
    _ = try Self.decode(nested(200), as: AppMessage.self)
    #expect(throws: JSONLine.Fault.self) { try Self.decode(nested(100_000), as: AppMessage.self) }
    let note = #"{"didFinish":{"note":"# + String(repeating: "[", count: 100_000)
    #expect(throws: JSONLine.Fault.self) { try Self.decode(note, as: AppMessage.self) }
  }

  @Test("Text with escapes and of any script is written and read as by JSONEncoder and JSONDecoder")
  func text() throws {
    let controls = String(String.UnicodeScalarView((0...0x7F).compactMap { Unicode.Scalar($0) }))
    for text in [controls, "\u{1B}[2m12:00\u{1B}[0m", "a \"b\" \\ c/d", "Jörg’s Schloß … 🔒", ""] {
      let reply = ControlReply(error: text)
      let json = JSONLine.text(["error": text])
      #expect(JSONLine.encode(reply) == Array("\(json)\n".utf8))
      #expect(try Self.decode(json) == reply)
    }
  }

  @Test(
    "Escapes are read, and what is none is refused",
    arguments: [
      (#"{"error":"\u00e4\ud83d\udd12"}"#, "ä🔒"), (#"{"error":"\/\u001B"}"#, "/\u{1B}"),
      (#"{"error":"\ud83d"}"#, nil), (#"{"error":"\u+123"}"#, nil), (#"{"error":"\x"}"#, nil),
      (#"{"error":"\u00"}"#, nil), (#"{"error":"\"#, nil),
      ("{\"error\":\"\t\"}", nil),
    ] as [(String, String?)])
  func escapes(json: String, expected: String?) {
    #expect((try? Self.decode(json, as: ControlReply.self))?.error == expected)
  }

  @Test("Bytes that are no text are refused")
  func notText() {
    let bytes = Array(#"{"error":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
    #expect(throws: JSONLine.Fault.self) { try JSONLine.decode(ControlReply.self, bytes) }
  }

  @Test(
    "What the writer does not write is read",
    arguments: [
      #"{"respond":{"request":9,"value":[1],"note":"x"}}"#, #"{"respond":{"request":9.0,"value":[1]}}"#,
      #"{"resp\u006fnd":{"request":9,"value":[1]}}"#, #"{"respond":{"request":9,"error":null,"value":[1]}}"#,
      #" {"respond" : {"value":[ 1 ],"request":9} } "#,
    ])
  func unexpected(json: String) throws {
    let call: PeripheralManagerCall = try Self.decode(json)
    #expect(call == .respond(RequestID(rawValue: 9), error: nil, value: [1]))
  }

  @Test("Of a key that comes twice the first counts")
  func twice() throws {
    let json = #"{"respond":{"request":9,"value":[1],"value":[2],"request":8}}"#
    #expect(try Self.decode(json) == PeripheralManagerCall.respond(RequestID(rawValue: 9), error: nil, value: [1]))
  }

  @Test(
    "What is not a message is refused",
    arguments: [
      #"{"respond":{"request":9,"value":[256]}}"#, #"{"respond":{"request":9,"value":[01]}}"#,
      #"{"respond":{"request":9,"value":[1]}"#, #"{"respond":{"request":9,"value":[1]}} x"#,
      #"{"respond":{"request":9}}"#,
      #"{"respond":{"request":9,"value":[1]},"stopAdvertising":{}}"#, #"{"respond":{"request":"9","value":[1]}}"#,
    ])
  func refused(json: String) {
    #expect(throws: JSONLine.Fault.self) { try Self.decode(json, as: PeripheralManagerCall.self) }
  }

  @Test(arguments: Samples.appMessages)
  func `a call is read as it was written`(message: AppMessage) throws {
    #expect(try Self.decode(JSONLine.text(message)) == message)
    #expect(try Self.decode(Self.spaced(JSONLine.text(message))) == message)
  }

  @Test(arguments: Samples.systemMessages)
  func `a callback is read as it was written`(message: PhoneMessage) throws {
    #expect(try Self.decode(JSONLine.text(message)) == message)
    #expect(try Self.decode(Self.spaced(JSONLine.text(message))) == message)
  }

  @Test(
    arguments: [
      (
        .hello(version: 1, app: Samples.app),
        #"{"hello":{"app":{"backgroundModes":["bluetooth-peripheral"],"#
          + #""bundleIdentifier":"org.blepera.heart-rate","name":"Heart Rate","rules":{},"#
          + #""usesAccessorySetup":false},"version":1}}"#
      ),
      (
        .hello(version: 1, app: Samples.app, launch: .background, process: Samples.process),
        #"{"hello":{"app":{"backgroundModes":["bluetooth-peripheral"],"#
          + #""bundleIdentifier":"org.blepera.heart-rate","name":"Heart Rate","rules":{},"#
          + #""usesAccessorySetup":false},"launch":"background","#
          + #""process":{"arguments":["app","-v"],"environment":{"LANG":"C"},"folder":"/srv"},"version":1}}"#
      ),
      (
        .hello(
          version: 1,
          app: AppIdentity(
            bundleIdentifier: "a", name: "A", backgroundModes: [],
            rules: RuleOverrides(
              foregroundInterval: 20, backgroundInterval: 1022.5, suspendedError: .insufficientResources,
              disablesCachedValues: true))),
        #"{"hello":{"app":{"backgroundModes":[],"bundleIdentifier":"a","name":"A","#
          + #""rules":{"backgroundInterval":1022.5,"disablesCachedValues":true,"foregroundInterval":20,"#
          + #""suspendedError":17},"usesAccessorySetup":false},"version":1}}"#
      ),
      (.create(ManagerID(.peripheral, .restorable("lock"))), #"{"create":{"id":"lock","role":"peripheral"}}"#),
      (.create(ManagerID(.central, .number(0))), #"{"create":{"id":0,"role":"central"}}"#),
      (
        .peripheral(.number(1), .removeService(Samples.service)),
        #"{"peripheral":{"call":{"removeService":{"id":2}},"id":1}}"#
      ),
      (
        .central(.restorable("keys"), .stopScan), #"{"central":{"call":{"stopScan":{}},"id":"keys"}}"#
      ),
      (.didFinish, #"{"didFinish":{}}"#), (.didBecomeIdle, #"{"didBecomeIdle":{}}"#),
      (.beginBackgroundTask(3), #"{"beginBackgroundTask":{"id":3}}"#),
      (.endBackgroundTask(3), #"{"endBackgroundTask":{"id":3}}"#),
    ] as [(AppMessage, String)])
  func `the words of a message of an app on the wire do not change`(message: AppMessage, expected: String) {
    #expect(JSONLine.text(message) == expected)
  }

  @Test(
    arguments: [
      (
        .addService(Samples.service, Samples.definition),
        #"{"addService":{"id":2,"service":{"characteristics":[{"descriptors":[],"permissions":["readable"],"#
          + #""properties":["read"],"uuid":"2A38","value":[1]}],"includedServices":[],"isPrimary":true,"#
          + #""uuid":"180D"}}}"#
      ),
      (.removeService(Samples.service), #"{"removeService":{"id":2}}"#),
      (.removeAllServices, #"{"removeAllServices":{}}"#),
      (
        .startAdvertising(AdvertisementData(localName: "Lock", serviceUUIDs: [Samples.definition.uuid])),
        #"{"startAdvertising":{"advertisement":{"localName":"Lock","serviceUUIDs":["180D"]}}}"#
      ),
      (.stopAdvertising, #"{"stopAdvertising":{}}"#),
      (
        .updateValue(Samples.characteristic, value: [6, 72], centrals: nil),
        #"{"updateValue":{"characteristic":{"index":1,"service":2},"value":[6,72]}}"#
      ),
      (
        .updateValue(Samples.characteristic, value: [], centrals: [Samples.central.id]),
        #"{"updateValue":{"centrals":["00:11:22:33:44:55"],"characteristic":{"index":1,"service":2},"value":[]}}"#
      ),
      (
        .respond(RequestID(rawValue: 9), error: nil, value: [1]), #"{"respond":{"request":9,"value":[1]}}"#
      ),
      (
        .respond(RequestID(rawValue: 9), error: .invalidOffset, value: []),
        #"{"respond":{"error":7,"request":9,"value":[]}}"#
      ),
    ] as [(PeripheralManagerCall, String)])
  func `the words of a call on the wire do not change`(message: PeripheralManagerCall, expected: String) {
    #expect(JSONLine.text(message) == expected)
  }

  @Test(
    arguments: [
      (.welcome(version: 1), #"{"welcome":{"version":1}}"#),
      (.didChangeState(.inactive), #"{"didChangeState":{"state":"inactive"}}"#),
      (.didChangeState(.foreground), #"{"didChangeState":{"state":"foreground"}}"#),
      (.didChangeState(.background), #"{"didChangeState":{"state":"background"}}"#),
      (.didChangeState(.suspended), #"{"didChangeState":{"state":"suspended"}}"#),
      (.refused(reason: "no"), #"{"refused":{"reason":"no"}}"#),
      (.willTerminate(.memoryPressure), #"{"willTerminate":{"reason":"memoryPressure"}}"#),
      (
        .welcome(version: 1, managers: [ManagerID(.peripheral, .restorable("lock"))], nextService: 3),
        #"{"welcome":{"managers":[{"id":"lock","role":"peripheral"}],"nextService":3,"version":1}}"#
      ),
      (
        .peripheral(.restorable("lock"), .didUpdateState(.poweredOn)),
        #"{"peripheral":{"callback":{"didUpdateState":{"state":5}},"id":"lock"}}"#
      ),
      (
        .central(.number(0), .didUpdateState(.poweredOn)),
        #"{"central":{"callback":{"didUpdateState":{"state":5}},"id":0}}"#
      ),
    ] as [(PhoneMessage, String)])
  func `the words of a message of the phone on the wire do not change`(message: PhoneMessage, expected: String) {
    #expect(JSONLine.text(message) == expected)
  }

  @Test(
    arguments: [
      (
        .willRestoreState(Samples.restored),
        #"{"willRestoreState":{"state":{"advertisement":{"localName":"Lock","serviceUUIDs":[]},"#
          + #""services":[{"id":2,"service":{"characteristics":[{"descriptors":[],"permissions":["readable"],"#
          + #""properties":["read"],"uuid":"2A38","value":[1]}],"includedServices":[],"isPrimary":true,"uuid":"180D"},"#
          + #""subscriptions":[{"centrals":[{"id":"00:11:22:33:44:55","maximumUpdateValueLength":182}],"index":0}]}]}}}"#
      ),
      (.didUpdateState(.poweredOn), #"{"didUpdateState":{"state":5}}"#),
      (.didAddService(Samples.service, error: nil), #"{"didAddService":{"id":2}}"#),
      (.didAddService(Samples.service, error: "no"), #"{"didAddService":{"error":"no","id":2}}"#),
      (.didStartAdvertising(error: nil), #"{"didStartAdvertising":{}}"#),
      (
        .didStartAdvertising(error: "no", code: .alreadyAdvertising),
        #"{"didStartAdvertising":{"code":"alreadyAdvertising","error":"no"}}"#
      ),
      (
        .didSubscribe(Samples.central, to: Samples.characteristic),
        #"{"didSubscribe":{"central":{"id":"00:11:22:33:44:55","maximumUpdateValueLength":182},"#
          + #""characteristic":{"index":1,"service":2}}}"#
      ),
      (
        .didUnsubscribe(Samples.central, from: Samples.characteristic),
        #"{"didUnsubscribe":{"central":{"id":"00:11:22:33:44:55","maximumUpdateValueLength":182},"#
          + #""characteristic":{"index":1,"service":2}}}"#
      ),
      (
        .didReceiveRead(
          ReadRequest(
            id: RequestID(rawValue: 9), central: Samples.central, characteristic: Samples.characteristic, offset: 22)),
        #"{"didReceiveRead":{"request":{"central":{"id":"00:11:22:33:44:55","maximumUpdateValueLength":182},"#
          + #""characteristic":{"index":1,"service":2},"id":9,"offset":22}}}"#
      ),
      (
        .didReceiveWrite([Samples.write(0, [1, 2])]),
        #"{"didReceiveWrite":{"requests":[{"central":{"id":"00:11:22:33:44:55","maximumUpdateValueLength":182},"#
          + #""characteristic":{"index":1,"service":2},"id":9,"offset":0,"value":[1,2]}]}}"#
      ),
      (
        .didUpdateValue(Samples.characteristic, queued: false),
        #"{"didUpdateValue":{"characteristic":{"index":1,"service":2},"queued":false}}"#
      ),
      (.isReadyToUpdateSubscribers, #"{"isReadyToUpdateSubscribers":{}}"#),
    ] as [(PeripheralManagerCallback, String)])
  func `the words of a callback on the wire do not change`(message: PeripheralManagerCallback, expected: String) {
    #expect(JSONLine.text(message) == expected)
  }

  @Test func `an app that overrides nothing may leave its rules out`() throws {
    let hello = #"{"hello":{"app":{"backgroundModes":[],"bundleIdentifier":"a","name":"A"},"version":1}}"#
    let app = AppIdentity(bundleIdentifier: "a", name: "A", backgroundModes: [])
    #expect(try Self.decode(hello) == AppMessage.hello(version: 1, app: app))
  }

  @Test(
    arguments: [
      "{}", "[]", "null", #"{"hullo":{}}"#, #"{"hello":{"version":1}}"#, #"{"create":{"id":"a"}}"#,
      #"{"create":{"id":"a","role":"observer"}}"#, #"{"create":{"id":null,"role":"central"}}"#,
      #"{"stopAdvertising":{}}"#, #"{"peripheral":{"id":"a"}}"#, #"{"peripheral":{"call":{"stopAdvertising":{}}}}"#,
      #"{"peripheral":{"id":"a","call":{"stopScan":{}}}}"#, #"{"didFinish":{},"didBecomeIdle":{}}"#,
    ])
  func `what is no message of an app is refused`(json: String) {
    #expect(throws: JSONLine.Fault.self) { try Self.decode(json, as: AppMessage.self) }
  }

  @Test(
    arguments: [
      "{}", #"{"stopAdvertising":{},"removeAllServices":{}}"#,
      #"{"removeService":{"_0":2}}"#, #"{"removeService":{"id":"2"}}"#,
      #"{"respond":{"request":9,"error":256,"value":[]}}"#, #"{"respond":{"request":9,"value":[256]}}"#,
      #"{"startAdvertising":{"advertisement":{"serviceUUIDs":["18"]}}}"#,
    ])
  func `what is no call is refused`(json: String) {
    #expect(throws: JSONLine.Fault.self) { try Self.decode(json, as: PeripheralManagerCall.self) }
  }

  @Test(
    arguments: [
      #"{"peripheral":{"callback":{"didUpdateState":{"state":6}},"id":0}}"#, #"{"didChangeState":{"state":"running"}}"#,
      #"{"didChangeState":{"state":0}}"#,
    ])
  func `a state that does not exist is refused`(json: String) {
    #expect(throws: JSONLine.Fault.self) { try Self.decode(json, as: PhoneMessage.self) }
  }
}
