import BleperaLoop
import Glibc
import Testing

@testable import BleperaPhone

@Suite("What a relaunched app receives, in random histories", .timeLimit(.minutes(60)))
struct RestorationHistoryTests {
  /// `BLEPERA_HISTORIES` plays that many from a seed on: `300000@1`, or one that has failed: `1@17`.
  private static let seeds: Range<UInt64> = {
    let given = unsafe getenv("BLEPERA_HISTORIES").map { unsafe String(cString: $0) } ?? "3000@1"
    let numbers = given.split(separator: "@").compactMap { UInt64($0) }
    let first = numbers.count > 1 ? numbers[1] : 1
    return first..<first + (numbers.first ?? 0)
  }()

  @Test("A manager receives what it used when the app ended, its state, and each event since, once and in order")
  func histories() throws {
    var kills = 0
    for seed in Self.seeds {
      let loop = VirtualLoop(beginning: .seconds(1_800_000_000))
      let result = loop.run(until: .seconds(10_000)) { () -> (violation: String?, kills: Int) in
        let history = RestorationHistory(seed: seed, loop: loop)
        return (await history.violation(steps: 18), history.kills)
      }
      let outcome = try #require(result, "seed \(seed): the history waits for something that never comes").get()
      kills += outcome.kills
      if let violation = outcome.violation { return _ = Issue.record("seed \(seed): \(violation)") }
    }
    #expect(kills > Self.seeds.count)
  }
}
