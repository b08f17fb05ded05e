import BlueZ
import DBus
import Testing

@Suite("Who is subscribed to what")
struct SubscriberTableTests {
  /// What bluetoothd does, a word and its objects, and what changes: `start c` -> `+a c`.
  private static let table: [(String, [(String, String)])] = [
    (
      "a central subscribes and unsubscribes",
      [("announce a c", ""), ("start c", "+a c"), ("stop c", "-a c"), ("stop c", ""), ("? c", "")]
    ),
    (
      "two centrals subscribe to one characteristic, and both go",
      [
        ("announce a c", ""), ("start c", "+a c"), ("announce b c", ""), ("start c", "+b c"), ("? c", "a b"),
        ("stop c", "-a c, -b c"),
      ]
    ),
    (
      "two centrals subscribe at the same time",
      [("announce a c", ""), ("announce b c", ""), ("start c", "+a c"), ("start c", "+b c")]
    ),
    (
      "two characteristics at the same time",
      [("announce a c", ""), ("announce b d", ""), ("start d", "+b d"), ("start c", "+a c"), ("? c", "a"), ("? d", "b")]
    ),
    ("a subscription that nobody announced", [("start c", ""), ("? c", "")]),
    (
      "a subscriber subscribes again",
      [("announce a c", ""), ("start c", "+a c"), ("announce a c", ""), ("start c", ""), ("? c", "a")]
    ),
    (
      "one that was only announced is not subscribed",
      [("announce a c", ""), ("? c", ""), ("stop c", ""), ("start c", "")]
    ),
    (
      "a central without a bond leaves, comes back, and is not subscribed",
      [
        ("announce a c", ""), ("start c", "+a c"), ("announce a d", ""), ("start d", "+a d"), ("gone a", "-a c, -a d"),
        ("come a", ""), ("? c", ""), ("gone a", ""),
      ]
    ),
    (
      "a central with a bond leaves and comes back subscribed, as often as it likes",
      [
        ("announce a c", ""), ("start c", "+a c"), ("away a", "-a c"), ("? c", ""), ("come a", "+a c"), ("? c", "a"),
        ("come a", ""), ("away a", "-a c"), ("come a", "+a c"),
      ]
    ),
    (
      "a central with a bond that subscribes anew after its return is subscribed once",
      [
        ("announce a c", ""), ("start c", "+a c"), ("away a", "-a c"), ("announce a c", ""), ("start c", "+a c"),
        ("come a", ""), ("? c", "a"),
      ]
    ),
    (
      "one that leaves does not take another along",
      [("announce a c", ""), ("start c", "+a c"), ("announce b c", ""), ("start c", "+b c"), ("gone a", "-a c"), ("? c", "b")]
    ),
    (
      "one that leaves between its announcement and its subscription is not taken for the next",
      [("announce a c", ""), ("gone a", ""), ("announce b c", ""), ("start c", "+b c"), ("start c", "")]
    ),
    (
      "the last one unsubscribes, and a bonded one that is away has nothing to come back to",
      [
        ("announce a c", ""), ("start c", "+a c"), ("announce b c", ""), ("start c", "+b c"), ("away a", "-a c"),
        ("stop c", "-b c"), ("come a", ""),
      ]
    ),
    (
      "a service goes with its subscriptions, of those who are away too",
      [
        ("announce a c", ""), ("start c", "+a c"), ("announce b c", ""), ("start c", "+b c"), ("announce a d", ""),
        ("start d", "+a d"), ("away b", "-b c"), ("forget /s/c", "-a c"), ("come b", ""), ("? d", "a"),
        ("forget /s", "-a d"),
      ]
    ),
    ("what only begins with the same letters is not below it", [("announce a c", ""), ("start c", "+a c"), ("forget /s/cc", ""), ("forget /", "-a c")]),
  ]

  @Test("Each call of bluetoothd changes what it says", arguments: table)
  func traces(name: String, steps: [(String, String)]) throws {
    var table = SubscriberTable()
    for (step, expected) in steps { #expect(try Self.play(step, &table) == expected, "\(step)") }
  }

  @Test("A table is empty once nobody is subscribed")
  func isEmpty() throws {
    var table = SubscriberTable()
    #expect(table.isEmpty)
    _ = try Self.play("announce a c", &table)
    #expect(table.isEmpty)
    _ = try Self.play("start c", &table)
    #expect(!table.isEmpty)
    _ = try Self.play("away a", &table)
    #expect(table.isEmpty)
  }

  private static func play(_ step: String, _ table: inout SubscriberTable) throws -> String {
    let words = step.split(separator: " ").map(String.init)
    func characteristic(_ name: String) throws -> ObjectPath { try #require(ObjectPath("/s/" + name)) }
    func device(_ name: String) throws -> ObjectPath { try #require(ObjectPath("/dev_" + name)) }
    switch words[0] {
    case "announce":
      table.announce(try device(words[1]), on: try characteristic(words[2]))
      return ""
    case "start":
      let path = try characteristic(words[1])
      return table.start(on: path).map { text(path, $0) } ?? ""
    case "stop":
      let path = try characteristic(words[1])
      return text(table.stop(on: path).map { (path, $0) })
    case "gone": return text(table.disconnected(try device(words[1]), isBonded: false))
    case "away": return text(table.disconnected(try device(words[1]), isBonded: true))
    case "come": return text(table.connected(try device(words[1])))
    case "forget": return text(table.forget(below: try #require(ObjectPath(words[1] as String))))
    case "?":
      return table.subscribers(of: try characteristic(words[1])).map { String($0.lastElement.dropFirst(4)) }
        .joined(separator: " ")
    default: preconditionFailure("what is \(step)?")
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
