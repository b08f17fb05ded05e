import Testing

@testable import BleperaDBus

@Suite("Messages")
struct MessageTests {
  @Test(
    "Only answers have a reply serial, and an error's body is its message",
    arguments: [
      (.methodCall(MethodCall(destination: ":1.1", path: "/", interface: nil, member: "A")), nil, []),
      (
        .signal(Signal(destination: ":1.1", path: "/", interface: "a.b", member: "C", arguments: [.byte(1)])), nil,
        [.byte(1)]
      ),
      (.methodReturn(MethodReturn(destination: ":1.1", replySerial: 7, arguments: [.byte(2)])), 7, [.byte(2)]),
      (
        .error(
          ErrorMessage(destination: ":1.1", replySerial: 8, reply: DBusErrorReply(name: .failed, message: "no"))), 8,
        [.string("no")]
      ),
    ] as [(Message, UInt32?, [DBusValue])])
  func kinds(message: Message, replySerial: UInt32?, body: [DBusValue]) {
    #expect(IncomingMessage(sender: ":1.2", serial: 1, message: message).message.replySerial == replySerial)
    #expect(message.body == body)
    #expect(message.destination == ":1.1")
  }

  @Test("An error reads as its name and its message")
  func errors() {
    #expect("\(DBusErrorReply(name: .failed, message: "No."))" == "org.freedesktop.DBus.Error.Failed: No.")
    #expect("\(DBusErrorReply(name: .noReply, message: ""))" == "org.freedesktop.DBus.Error.NoReply")
  }
}
