import BleperaDBus
import Testing

@testable import BleperaBlueZ

@Suite("What the end of a stream means")
struct NotifyStreamsTests {
  /// Devices a, b and c, the characteristics x and y. `end a x`: bluetoothd has ended the stream; `gone a x y`: a, which was
  /// subscribed to these, has disconnected, `away` if it is bonded; `call`: a turn begins; `reply 1`: who has unsubscribed.
  private static let table: [(String, [(String, String)])] = [
    (
      "a central unsubscribes",
      [
        ("open a x", ""), ("undecided a", "no"), ("end a x", ""), ("? a x", "no"), ("undecided a", "yes"),
        ("undecided b", "no"), ("call", "1"), ("undecided a", "yes"), ("reply 1", "a x"), ("undecided a", "no"),
      ]
    ),
    (
      "the end is judged by the reply to a call that followed it",
      [
        ("open a x", ""), ("open b x", ""), ("end a x", ""), ("call", "1"), ("end b x", ""), ("call", "2"),
        ("reply 1", "a x"), ("reply 2", "b x"),
      ]
    ),
    ("nothing is to be judged", [("call", "-"), ("open a x", ""), ("call", "-"), ("reply 0", "")]),
    (
      "one end is one turn", [("open a x", ""), ("end a x", ""), ("call", "1"), ("end a x", ""), ("call", "-")]
    ),
    (
      "a central disconnects: its streams have not ended by an unsubscription",
      [("open a x", ""), ("open a y", ""), ("end a x", ""), ("call", "1"), ("gone a x y", ""), ("reply 1", "")]
    ),
    (
      "the second of two leaves, and the first loses its stream, not its subscription",
      [
        ("open a x", ""), ("open b x", ""), ("end a x", ""), ("call", "1"), ("gone b x", ""), ("call", "2"),
        ("reply 1", ""), ("? a x", "no"), ("reply 2", ""), ("open a x", ""), ("? a x", "yes"), ("end a x", ""),
        ("call", "3"), ("reply 3", "a x"),
      ]
    ),
    (
      "the disconnection is known before the lost stream has ended",
      [
        ("open a x", ""), ("open b x", ""), ("gone b x", ""), ("call", "1"), ("end a x", ""), ("call", "2"),
        ("reply 1", ""), ("reply 2", ""),
      ]
    ),
    (
      "the second of two leaves and costs nobody a stream: a later end is an unsubscription",
      [
        ("open a x", ""), ("open b x", ""), ("gone b x", ""), ("call", "1"), ("reply 1", ""), ("? a x", "yes"),
        ("end a x", ""), ("call", "2"), ("reply 2", "a x"),
      ]
    ),
    (
      "the first of two leaves, and the second unsubscribes meanwhile",
      [("open a x", ""), ("open b x", ""), ("gone a x", ""), ("end b x", ""), ("call", "1"), ("reply 1", "b x")]
    ),
    (
      "a bonded central leaves: no other stream is lost",
      [("open a x", ""), ("open b x", ""), ("away b x", ""), ("end a x", ""), ("call", "1"), ("reply 1", "a x")]
    ),
    (
      "a central without a stream leaves, and the oldest stream of the other two is lost",
      [
        ("open a x", ""), ("open b x", ""), ("gone c x", ""), ("end a x", ""), ("call", "1"), ("reply 1", ""),
        ("? b x", "yes"),
      ]
    ),
    (
      "two leave, and two lose their streams",
      [
        ("open a x", ""), ("open b x", ""), ("open c x", ""), ("open d x", ""), ("end a x", ""), ("end b x", ""),
        ("gone c x", ""), ("gone d x", ""), ("call", "1"), ("reply 1", ""),
      ]
    ),
    (
      "another characteristic's streams stay",
      [
        ("open a y", ""), ("open a x", ""), ("open b x", ""), ("end a y", ""), ("gone b x", ""), ("call", "1"),
        ("reply 1", "a y"), ("? a x", "yes"),
      ]
    ),
    (
      "a stream is removed once",
      [("open a x", ""), ("remove a x", "yes"), ("remove a x", "no"), ("end a x", ""), ("call", "-")]
    ),
    (
      "a service goes with its streams",
      [("open a x", ""), ("open b x", ""), ("end a x", ""), ("gone b x", ""), ("forget", ""), ("call", "-")]
    ),
  ]

  @Test("Each step changes what it says", arguments: table)
  func traces(name: String, steps: [(String, String)]) throws {
    var streams = NotifyStreams()
    for (step, expected) in steps { #expect(try Self.play(step, &streams) == expected, "\(step)") }
  }

  private static func play(_ step: String, _ streams: inout NotifyStreams) throws -> String {
    let words = step.split(separator: " ").map(String.init)
    func characteristic(_ name: String) throws -> ObjectPath { try #require(ObjectPath("/s/" + name)) }
    func device() throws -> ObjectPath { try #require(ObjectPath("/dev_" + words[1])) }
    func id() throws -> NotifyStreams.ID { NotifyStreams.ID(try device(), of: try characteristic(words[2])) }
    switch words[0] {
    case "open": streams.open(try id())
    case "end": streams.ended(try id())
    case "remove": return streams.remove(try id()) ? "yes" : "no"
    case "gone", "away":
      let characteristics = try words.dropFirst(2).map(characteristic)
      streams.disconnected(try device(), isBonded: words[0] == "away", from: characteristics)
    case "call": return streams.beginTurn().map { "\($0)" } ?? "-"
    case "reply":
      let ended = streams.judge(try #require(Int(words[1])))
      return ended.map { "\($0.device.lastElement.dropFirst(4)) \($0.characteristic.lastElement)" }
        .joined(separator: ", ")
    case "forget": streams.forget(below: "/s")
    case "undecided": return streams.isUndecided(try device()) ? "yes" : "no"
    case "?": return streams.isOpen(try id()) ? "yes" : "no"
    default: preconditionFailure("what is \(step)?")
    }
    return ""
  }
}

@Suite("Streams that bluetoothd does not read")
struct UnreadStreamTests {
  @Test("They are looked at again soon, and then less and less often")
  func retries() {
    let intervals = (0..<100).map { BlueZRadio.retryInterval(after: $0) }
    #expect(intervals.prefix(3) == [.milliseconds(1), .milliseconds(2), .milliseconds(4)])
    #expect(intervals.reduce(.zero, +) > .seconds(6))
    #expect(intervals.allSatisfy { $0 <= .milliseconds(64) })
  }
}
