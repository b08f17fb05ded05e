import BleperaRadio
import TestSupport
import Testing

@testable import BleperaBlueZ
@testable import BleperaDBus

@Suite("Requests of centrals")
struct RequestTableTests {
  /// `add read` is a call that expects a reply, `add command` one that does not; `wait a 7` has a request of the device
  /// a with the serial number 7.
  private static let table: [(String, String)] = [
    (
      "a request has one response, and a command none",
      """
      add read -> 1
      add command -> 2
      remove 1 -> yes
      remove 1 -> no
      remove 2 -> no
      """
    ),
    (
      "requests wait in order, whichever their device",
      """
      isWaiting -> no
      wait a 7
      wait b 8
      wait a 9
      isWaiting -> yes
      isWaiting b -> yes
      isWaiting c -> no
      resume -> 7 8 9
      isWaiting -> no
      resume
      """
    ),
    (
      "numbers are not used again when the bus is lost",
      """
      add read -> 1
      wait a 7
      removeAll
      remove 1 -> no
      resume
      add read -> 2
      """
    ),
  ]

  @Test("Each event has its result", arguments: table)
  func traces(name: String, text: String) {
    var requests = RequestTable()
    let differences = TraceLines(text).differences { Self.play($0.words, &requests) }
    #expect(differences == [])
  }

  private static func play(_ words: [String], _ requests: inout RequestTable) -> String {
    func device(_ name: String) -> ObjectPath { ObjectPath.root.appending(name) }
    switch words[0] {
    case "add": return "\(requests.add(call(expectsReply: words[1] == "read")).rawValue)"
    case "remove": return requests.remove(RadioRequestID(rawValue: Int(words[1]) ?? 0)) == nil ? "no" : "yes"
    case "wait":
      let call = call(UInt32(words[2]) ?? 0)
      requests.wait(RequestTable.Waiting(call: call, device: device(words[1]), application: 1))
    case "isWaiting": return requests.isWaiting(words.count > 1 ? device(words[1]) : nil) ? "yes" : "no"
    case "resume": return requests.resume().map { "\($0.call.serial)" }.joined(separator: " ")
    case "removeAll": requests.removeAll()
    default: preconditionFailure("unknown event \(words)")
    }
    return ""
  }

  private static func call(_ serial: UInt32 = 1, expectsReply: Bool = true) -> IncomingCall {
    IncomingCall(
      sender: nil, serial: serial,
      call: MethodCall(
        destination: nil, path: "/s/x", interface: nil, member: "ReadValue", expectsReply: expectsReply))
  }
}
