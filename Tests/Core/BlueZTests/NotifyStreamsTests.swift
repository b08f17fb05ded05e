import BleperaDBus
import BusTesting
import Testing

@testable import BleperaBlueZ

@Suite("Whether the end of a stream is an unsubscription")
struct NotifyStreamsTests {
  /// Steps with devices a, b, c and characteristics x, y, named after the functions of `NotifyStreams`, each with its
  /// result. `disconnected a x y`: a, subscribed to x and y, has disconnected; `disconnectedBonded` if it is bonded.
  private static let table: [(String, [(String, String)])] = [
    (
      "a central unsubscribes",
      [
        ("open a x", ""), ("isUndecided a", "no"), ("ended a x", ""), ("isOpen a x", "no"), ("isUndecided a", "yes"),
        ("isUndecided b", "no"), ("beginTurn", "1"), ("isUndecided a", "yes"), ("judge 1", "a x"),
        ("isUndecided a", "no"),
      ]
    ),
    (
      "the end of a stream is judged by the turn that began after it",
      [
        ("open a x", ""), ("open b x", ""), ("ended a x", ""), ("beginTurn", "1"), ("ended b x", ""),
        ("beginTurn", "2"),
        ("judge 1", "a x"), ("judge 2", "b x"),
      ]
    ),
    ("without an end there is no turn", [("beginTurn", "-"), ("open a x", ""), ("beginTurn", "-"), ("judge 0", "")]),
    (
      "each end has one turn",
      [("open a x", ""), ("ended a x", ""), ("beginTurn", "1"), ("ended a x", ""), ("beginTurn", "-")]
    ),
    (
      "the streams of a central that disconnects do not end by an unsubscription",
      [
        ("open a x", ""), ("open a y", ""), ("ended a x", ""), ("beginTurn", "1"), ("disconnected a x y", ""),
        ("judge 1", ""),
      ]
    ),
    (
      "the second of two centrals disconnects, and the first loses its stream but not its subscription",
      [
        ("open a x", ""), ("open b x", ""), ("ended a x", ""), ("beginTurn", "1"), ("disconnected b x", ""),
        ("beginTurn", "2"),
        ("judge 1", ""), ("isOpen a x", "no"), ("judge 2", ""), ("open a x", ""), ("isOpen a x", "yes"),
        ("ended a x", ""),
        ("beginTurn", "3"), ("judge 3", "a x"),
      ]
    ),
    (
      "the disconnection is reported before the lost stream ends",
      [
        ("open a x", ""), ("open b x", ""), ("disconnected b x", ""), ("beginTurn", "1"), ("ended a x", ""),
        ("beginTurn", "2"),
        ("judge 1", ""), ("judge 2", ""),
      ]
    ),
    (
      "the second of two centrals disconnects without ending a stream, and a later end is an unsubscription",
      [
        ("open a x", ""), ("open b x", ""), ("disconnected b x", ""), ("beginTurn", "1"), ("judge 1", ""),
        ("isOpen a x", "yes"),
        ("ended a x", ""), ("beginTurn", "2"), ("judge 2", "a x"),
      ]
    ),
    (
      "the first of two centrals disconnects, and the second unsubscribes meanwhile",
      [
        ("open a x", ""), ("open b x", ""), ("disconnected a x", ""), ("ended b x", ""), ("beginTurn", "1"),
        ("judge 1", "b x"),
      ]
    ),
    (
      "a bonded central disconnects, and no other stream ends",
      [
        ("open a x", ""), ("open b x", ""), ("disconnectedBonded b x", ""), ("ended a x", ""), ("beginTurn", "1"),
        ("judge 1", "a x"),
      ]
    ),
    (
      "a central without a stream disconnects, and the oldest stream of the other two ends",
      [
        ("open a x", ""), ("open b x", ""), ("disconnected c x", ""), ("ended a x", ""), ("beginTurn", "1"),
        ("judge 1", ""),
        ("isOpen b x", "yes"),
      ]
    ),
    (
      "two centrals disconnect, and two streams end",
      [
        ("open a x", ""), ("open b x", ""), ("open c x", ""), ("open d x", ""), ("ended a x", ""), ("ended b x", ""),
        ("disconnected c x", ""), ("disconnected d x", ""), ("beginTurn", "1"), ("judge 1", ""),
      ]
    ),
    (
      "the streams of another characteristic are not affected",
      [
        ("open a y", ""), ("open a x", ""), ("open b x", ""), ("ended a y", ""), ("disconnected b x", ""),
        ("beginTurn", "1"),
        ("judge 1", "a y"), ("isOpen a x", "yes"),
      ]
    ),
    (
      "a stream is removed once",
      [("open a x", ""), ("remove a x", "yes"), ("remove a x", "no"), ("ended a x", ""), ("beginTurn", "-")]
    ),
    (
      "an update goes to the open streams of its devices",
      [
        ("open a x", ""), ("open b x", ""), ("open a y", ""), ("sockets x a b", "2"), ("sockets x a c", "1"),
        ("ended a x", ""), ("sockets x a b", "1"), ("sockets y a b", "1"),
      ]
    ),
    (
      "a stream that bluetoothd has closed ends before the loop reports that",
      [
        ("open a x", ""), ("open b x", ""), ("endClosed", "no"), ("close b x", ""), ("endClosed a", "no"),
        ("endClosed b", "yes"), ("endClosed b", "no"), ("isUndecided b", "yes"), ("close a x", ""),
        ("endClosed", "yes"), ("beginTurn", "1"), ("judge 1", "a x, b x"),
      ]
    ),
    (
      "removing a service removes its streams",
      [
        ("open a x", ""), ("open b x", ""), ("ended a x", ""), ("disconnected b x", ""), ("forget", ""),
        ("beginTurn", "-"),
      ]
    ),
  ]

  @Test("Each step has its result", arguments: table)
  func traces(name: String, steps: [(String, String)]) throws {
    var streams = NotifyStreams()
    var ends: [NotifyStreams.ID: UnixFileDescriptor] = [:]
    for (step, expected) in steps { #expect(try Self.play(step, &streams, &ends) == expected, "\(step)") }
  }

  /// - Parameter ends: bluetoothd's ends of the streams.
  private static func play(
    _ step: String, _ streams: inout NotifyStreams, _ ends: inout [NotifyStreams.ID: UnixFileDescriptor]
  ) throws -> String {
    let words = step.split(separator: " ").map(String.init)
    func characteristic(_ name: String) throws -> ObjectPath { try #require(ObjectPath("/s/" + name)) }
    func path(_ name: String) throws -> ObjectPath { try #require(ObjectPath("/dev_" + name)) }
    func device() throws -> ObjectPath { try path(words[1]) }
    func id() throws -> NotifyStreams.ID {
      NotifyStreams.ID(characteristic: try characteristic(words[2]), device: try device())
    }
    switch words[0] {
    case "open":
      let (own, other) = try #require(SequencedSocket.pair())
      let source = own.watch(on: TestLoops.first, packet: { _ in }, end: {})
      streams.open(try id(), NotifyStreams.Socket(socket: own, source: source))
      ends[try id()] = other
    case "close": ends[try id()] = nil
    case "endClosed": return streams.endClosed(of: words.count > 1 ? try device() : nil) ? "yes" : "no"
    case "sockets":
      return "\(streams.sockets(of: try characteristic(words[1]), try words.dropFirst(2).map(path)).count)"
    case "ended": streams.ended(try id())
    case "remove": return streams.remove(try id()) ? "yes" : "no"
    case "disconnected", "disconnectedBonded":
      let characteristics = try words.dropFirst(2).map(characteristic)
      streams.disconnected(try device(), isBonded: words[0] == "disconnectedBonded", from: characteristics)
    case "beginTurn": return streams.beginTurn().map { "\($0)" } ?? "-"
    case "judge":
      let ended = streams.judge(try #require(Int(words[1])))
      return ended.map { "\($0.device.lastElement.dropFirst(4)) \($0.characteristic.lastElement)" }
        .joined(separator: ", ")
    case "forget": streams.forget(below: "/s")
    case "isUndecided": return streams.isUndecided(try device()) ? "yes" : "no"
    case "isOpen": return streams.isOpen(try id()) ? "yes" : "no"
    default: preconditionFailure("unknown step \(step)")
    }
    return ""
  }
}
