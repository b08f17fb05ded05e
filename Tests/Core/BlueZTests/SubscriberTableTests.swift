import BleperaBlueZ
import BleperaDBus
import Testing

@Suite("Subscribers of characteristics")
struct SubscriberTableTests {
  /// Steps named after the functions of `SubscriberTable`, and the subscriptions that each adds and removes:
  /// `subscribe a c` -> `+a c`. `disconnectedBonded` is the disconnection of a bonded central.
  private static let table: [(String, [(String, String)])] = [
    (
      "a central subscribes and unsubscribes",
      [("subscribe a c", "+a c"), ("subscribers c", "a"), ("stop c", "-a c"), ("stop c", ""), ("subscribers c", "")]
    ),
    (
      "two centrals subscribe to one characteristic, and bluetoothd ends both",
      [("subscribe a c", "+a c"), ("subscribe b c", "+b c"), ("subscribers c", "a b"), ("stop c", "-a c, -b c")]
    ),
    (
      "one central subscribes to two characteristics",
      [
        ("subscribe a d", "+a d"), ("subscribe a c", "+a c"), ("stop d", "-a d"), ("subscribers c", "a"),
        ("disconnected a", "-a c"),
      ]
    ),
    (
      "one of two centrals unsubscribes by its stream",
      [
        ("subscribe a c", "+a c"), ("subscribe b c", "+b c"), ("unsubscribe a c", "-a c"), ("unsubscribe a c", ""),
        ("subscribers c", "b"),
      ]
    ),
    ("a subscriber subscribes again", [("subscribe a c", "+a c"), ("subscribe a c", ""), ("subscribers c", "a")]),
    (
      "without a subscription nothing changes",
      [("stop c", ""), ("disconnected a", ""), ("connected a", ""), ("forget /s", "")]
    ),
    (
      "a central without a bond is not subscribed after it reconnects",
      [
        ("subscribe a d", "+a d"), ("subscribe a c", "+a c"), ("disconnected a", "-a c, -a d"), ("connected a", ""),
        ("subscribers c", ""),
        ("disconnected a", ""), ("subscribe a c", "+a c"),
      ]
    ),
    (
      "a bonded central is subscribed again after each reconnection",
      [
        ("subscribe a c", "+a c"), ("disconnectedBonded a", "-a c"), ("subscribers c", ""), ("connected a", "+a c"),
        ("subscribers c", "a"), ("connected a", ""),
        ("disconnectedBonded a", "-a c"), ("disconnectedBonded a", ""), ("connected a", "+a c"), ("subscribers c", "a"),
      ]
    ),
    (
      "a bonded central that subscribes before its connection is reported is subscribed once",
      [
        ("subscribe a c", "+a c"), ("disconnectedBonded a", "-a c"), ("subscribe a c", "+a c"), ("connected a", ""),
        ("subscribers c", "a"),
      ]
    ),
    (
      "the disconnection of a central does not affect another one",
      [
        ("subscribe a c", "+a c"), ("subscribe b c", "+b c"), ("disconnected a", "-a c"), ("subscribers c", "b"),
        ("stop c", "-b c"),
      ]
    ),
    (
      "the last central unsubscribes, and a bonded central has no subscription after it reconnects",
      [
        ("subscribe a c", "+a c"), ("subscribe b c", "+b c"), ("disconnectedBonded a", "-a c"), ("stop c", "-b c"),
        ("connected a", ""),
      ]
    ),
    (
      "removing a service removes its subscriptions, those of disconnected centrals too",
      [
        ("subscribe a c", "+a c"), ("subscribe b c", "+b c"), ("subscribe a d", "+a d"),
        ("disconnectedBonded b", "-b c"),
        ("forget /s/c", "-a c"), ("connected b", ""), ("subscribers d", "a"), ("forget /s", "-a d"),
      ]
    ),
    (
      "a path that only begins with the same letters is not below it",
      [("subscribe a c", "+a c"), ("forget /s/cc", ""), ("forget /s/c/d", ""), ("forget /", "-a c")]
    ),
  ]

  @Test("Each step has its changes", arguments: table)
  func traces(name: String, steps: [(String, String)]) throws {
    var table = SubscriberTable()
    for (step, expected) in steps { #expect(try Self.play(step, &table) == expected, "\(step)") }
  }

  @Test("A table without subscribers is empty")
  func isEmpty() throws {
    var table = SubscriberTable()
    #expect(table.isEmpty)
    _ = try Self.play("subscribe a c", &table)
    #expect(!table.isEmpty)
    _ = try Self.play("disconnectedBonded a", &table)
    #expect(table.isEmpty)
  }

  private static func play(_ step: String, _ table: inout SubscriberTable) throws -> String {
    let words = step.split(separator: " ").map(String.init)
    func characteristic(_ name: String) throws -> ObjectPath { try #require(ObjectPath("/s/" + name)) }
    func device(_ name: String) throws -> ObjectPath { try #require(ObjectPath("/dev_" + name)) }
    switch words[0] {
    case "subscribe":
      let path = try characteristic(words[2])
      return table.subscribe(try device(words[1]), to: path).map { text(path, $0) } ?? ""
    case "unsubscribe":
      let path = try characteristic(words[2])
      return table.unsubscribe(try device(words[1]), from: path).map { text(path, $0) } ?? ""
    case "stop":
      let path = try characteristic(words[1])
      return text(table.stop(on: path).map { (path, $0) })
    case "disconnected": return text(table.disconnected(try device(words[1]), isBonded: false))
    case "disconnectedBonded": return text(table.disconnected(try device(words[1]), isBonded: true))
    case "connected": return text(table.connected(try device(words[1])))
    case "forget": return text(table.forget(below: try #require(ObjectPath(words[1] as String))))
    case "subscribers":
      return table.subscribers(of: try characteristic(words[1])).map { String($0.lastElement.dropFirst(4)) }
        .joined(separator: " ")
    default: preconditionFailure("unknown step \(step)")
    }
  }

  private static func text(_ changes: [(characteristic: ObjectPath, change: SubscriberTable.Change)]) -> String {
    changes.map { text($0.characteristic, $0.change) }.joined(separator: ", ")
  }

  private static func text(_ path: ObjectPath, _ change: SubscriberTable.Change) -> String {
    switch change {
    case .subscribed(let device): "+\(device.lastElement.dropFirst(4)) \(path.lastElement)"
    case .unsubscribed(let device): "-\(device.lastElement.dropFirst(4)) \(path.lastElement)"
    }
  }
}
