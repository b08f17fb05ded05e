import BleperaBlueZ
import BleperaDBus
import Testing

@Suite("Who is subscribed to what")
struct SubscriberTableTests {
  /// What bluetoothd does, a word and its objects, and what changes: `acquire a c` -> `+a c`.
  private static let table: [(String, [(String, String)])] = [
    (
      "a central subscribes and unsubscribes",
      [("acquire a c", "+a c"), ("? c", "a"), ("stop c", "-a c"), ("stop c", ""), ("? c", "")]
    ),
    (
      "two centrals subscribe to one characteristic, and both go",
      [("acquire a c", "+a c"), ("acquire b c", "+b c"), ("? c", "a b"), ("stop c", "-a c, -b c")]
    ),
    (
      "one central subscribes to two characteristics",
      [("acquire a d", "+a d"), ("acquire a c", "+a c"), ("stop d", "-a d"), ("? c", "a"), ("gone a", "-a c")]
    ),
    (
      "one of two unsubscribes, by its stream",
      [("acquire a c", "+a c"), ("acquire b c", "+b c"), ("leave a c", "-a c"), ("leave a c", ""), ("? c", "b")]
    ),
    ("a subscriber subscribes again", [("acquire a c", "+a c"), ("acquire a c", ""), ("? c", "a")]),
    ("nobody unsubscribes", [("stop c", ""), ("gone a", ""), ("come a", ""), ("forget /s", "")]),
    (
      "a central without a bond leaves, comes back, and is not subscribed",
      [
        ("acquire a d", "+a d"), ("acquire a c", "+a c"), ("gone a", "-a c, -a d"), ("come a", ""), ("? c", ""),
        ("gone a", ""), ("acquire a c", "+a c"),
      ]
    ),
    (
      "a central with a bond leaves and comes back subscribed, as often as it likes",
      [
        ("acquire a c", "+a c"), ("away a", "-a c"), ("? c", ""), ("come a", "+a c"), ("? c", "a"), ("come a", ""),
        ("away a", "-a c"), ("away a", ""), ("come a", "+a c"), ("? c", "a"),
      ]
    ),
    (
      "a central with a bond that subscribes anew before its return is told is subscribed once",
      [("acquire a c", "+a c"), ("away a", "-a c"), ("acquire a c", "+a c"), ("come a", ""), ("? c", "a")]
    ),
    (
      "one that leaves does not take another along",
      [("acquire a c", "+a c"), ("acquire b c", "+b c"), ("gone a", "-a c"), ("? c", "b"), ("stop c", "-b c")]
    ),
    (
      "the last one unsubscribes, and a bonded one that is away has nothing to come back to",
      [("acquire a c", "+a c"), ("acquire b c", "+b c"), ("away a", "-a c"), ("stop c", "-b c"), ("come a", "")]
    ),
    (
      "a service goes with its subscriptions, of those who are away too",
      [
        ("acquire a c", "+a c"), ("acquire b c", "+b c"), ("acquire a d", "+a d"), ("away b", "-b c"),
        ("forget /s/c", "-a c"), ("come b", ""), ("? d", "a"), ("forget /s", "-a d"),
      ]
    ),
    (
      "what only begins with the same letters is not below it",
      [("acquire a c", "+a c"), ("forget /s/cc", ""), ("forget /s/c/d", ""), ("forget /", "-a c")]
    ),
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
    _ = try Self.play("acquire a c", &table)
    #expect(!table.isEmpty)
    _ = try Self.play("away a", &table)
    #expect(table.isEmpty)
  }

  private static func play(_ step: String, _ table: inout SubscriberTable) throws -> String {
    let words = step.split(separator: " ").map(String.init)
    func characteristic(_ name: String) throws -> ObjectPath { try #require(ObjectPath("/s/" + name)) }
    func device(_ name: String) throws -> ObjectPath { try #require(ObjectPath("/dev_" + name)) }
    switch words[0] {
    case "acquire":
      let path = try characteristic(words[2])
      return table.subscribe(try device(words[1]), to: path).map { text(path, $0) } ?? ""
    case "leave":
      let path = try characteristic(words[2])
      return table.unsubscribe(try device(words[1]), from: path).map { text(path, $0) } ?? ""
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
