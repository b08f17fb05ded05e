import BleperaDBus
import TestSupport
import Testing

@testable import BleperaBlueZ

@Suite("Updates that wait for bluetoothd")
struct UpdateQueueTests {
  /// `add 1` is an update for all subscribers, and `add 2 a b` one for the devices a and b.
  ///
  /// `next 2` has the next step while bluetoothd has not read the update 2.
  private static let table: [(String, String)] = [
    (
      "an update for all waits for no other",
      """
      add 1 -> emit 1
      add 2 -> emit 2
      next -> -
      """
    ),
    (
      "an update for some waits until bluetoothd has received what was sent before",
      """
      add 1 -> emit 1
      add 2 a -> ask
      received
      next -> write 2
      next -> -
      add 3 -> emit 3
      """
    ),
    (
      "updates behind one that waits keep their order",
      """
      add 1 a -> ask
      add 2 -> -
      add 3 b -> -
      add 4 a -> -
      received
      next -> write 1
      next -> emit 2
      next -> ask
      received
      next -> write 3
      next -> write 4
      next -> -
      """
    ),
    (
      "the next update waits until bluetoothd has read the streams",
      """
      add 1 a -> ask
      add 2 a -> -
      add 3 -> -
      received
      next -> write 1
      next 1 -> check 0.001 seconds
      next 1 -> check 0.002 seconds
      next -> write 2
      next 2 -> check 0.001 seconds
      next -> emit 3
      next -> -
      """
    ),
    (
      "each update for some that follows an emptied queue asks again",
      """
      add 1 a -> ask
      received
      next -> write 1
      next -> -
      add 2 a -> ask
      next -> ask
      received
      next -> write 2
      """
    ),
    (
      "an update for all counts for each device, one for some for those",
      """
      add 1 a -> ask
      add 2 -> -
      add 3 b -> -
      count a -> 2
      count b -> 2
      count c -> 1
      received
      next -> write 1
      next -> emit 2
      count a -> 0
      """
    ),
  ]

  @Test("Each event has its step", arguments: table)
  func traces(name: String, text: String) {
    var queue = UpdateQueue()
    let differences = TraceLines(text).differences { Self.play($0.words, &queue) }
    #expect(differences == [])
  }

  @Test("The delay between two checks of a stream grows")
  func checks() {
    var queue = UpdateQueue()
    _ = queue.add(Self.update(["add", "1", "a"]))
    queue.received()
    _ = queue.next { _ in true }
    let intervals = (0..<100).compactMap { _ -> Duration? in
      guard case .check(let delay) = queue.next(isUnread: { _ in true }) else { return nil }
      return delay
    }
    #expect(intervals.prefix(3) == [.milliseconds(1), .milliseconds(2), .milliseconds(4)])
    #expect(intervals.count == 100 && intervals.reduce(.zero, +) > .seconds(6))
    #expect(intervals.allSatisfy { $0 <= .milliseconds(64) })
  }

  private static func play(_ words: [String], _ queue: inout UpdateQueue) -> String {
    switch words[0] {
    case "add": return text(queue.add(update(words)))
    case "received":
      queue.received()
      return ""
    case "next": return text(queue.next { words.dropFirst().contains("\($0.value[0])") })
    case "count": return "\(queue.count { $0.lastElement == words[1] })"
    default: preconditionFailure("unknown event \(words)")
    }
  }

  private static func update(_ words: [String]) -> UpdateQueue.Update {
    let devices = words.dropFirst(2).map { ObjectPath.root.appending($0) }
    return UpdateQueue.Update(
      characteristic: "/s/x", value: [UInt8(words[1]) ?? 0], devices: devices.isEmpty ? nil : devices)
  }

  private static func text(_ step: UpdateQueue.Step?) -> String {
    switch step {
    case .emit(let update): "emit \(update.value[0])"
    case .write(let update): "write \(update.value[0])"
    case .ask: "ask"
    case .check(let delay): "check \(delay)"
    case nil: "-"
    }
  }
}
