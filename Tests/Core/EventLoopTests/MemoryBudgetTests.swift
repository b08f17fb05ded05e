import Testing

@testable import BleperaLoop

@Suite("The memory of all connections")
struct MemoryBudgetTests {
  typealias Use = MemoryBudget.Use

  /// Limits that are easy to count with.
  private static func budget() -> SharedMemoryBudget {
    var budget = MemoryBudget()
    budget.input = MemoryBudget.Limit(always: 10, one: 100, all: 400)
    budget.output = MemoryBudget.Limit(always: 10, one: 600, all: 1000)
    budget.events = MemoryBudget.Limit(always: 10, one: 100, all: 400)
    return SharedMemoryBudget(budget)
  }

  @Test(
    "A connection has at most its limit, what is left for the others, and always a little",
    arguments: [
      (.input, [], 100, true), (.input, [], 101, false),
      // 300 of 400 are taken: half of the rest.
      (.input, [100, 100, 100], 50, true), (.input, [100, 100, 100], 51, false),
      (.input, [100, 100, 100, 50, 20], 15, true), (.input, [100, 100, 100, 50, 20], 16, false),
      (.input, [100, 100, 100, 50, 20, 15, 7, 3], 10, true), (.input, [100, 100, 100, 50, 20, 15, 7, 3], 11, false),
      (.output, [], 500, true), (.output, [], 501, false), (.output, [500], 250, true), (.output, [500], 251, false),
      (.events, [], 100, true), (.events, [], 101, false), (.events, [100, 100, 100], 51, false),
      // Events leave half of the output to replies.
      (.output, [100, 100, 100, 50], 325, true),
    ] as [(Use, [Int], Int, Bool)])
  func share(use: Use, others: [Int], wanted: Int, isAllowed: Bool) {
    let budget = Self.budget()
    for other in others { _ = budget.change(use == .output && other < 500 ? .events : use, from: 0, to: other) }
    let before = budget.used
    #expect(budget.change(use, from: 0, to: wanted) == isAllowed)
    #expect(budget.used == before + (isAllowed ? wanted : 0))
  }

  @Test("What a connection gives back is there for others; less is always allowed, and more than before is asked for")
  func changes() {
    let budget = Self.budget()
    #expect(budget.change(.input, from: 0, to: 100) && budget.change(.input, from: 0, to: 100))
    #expect(budget.used == 200)
    #expect(!budget.change(.input, from: 100, to: 101))
    #expect(budget.change(.input, from: 100, to: 40) && budget.change(.input, from: 40, to: 100))
    #expect(budget.change(.input, from: 100, to: 0) && budget.change(.input, from: 100, to: 0))
    #expect(budget.used == 0)
    // Events and replies of a connection are one output.
    #expect(budget.change(.events, from: 0, to: 90) && budget.change(.output, from: 90, to: 300))
    #expect(!budget.change(.events, from: 300, to: 301) && budget.change(.events, from: 300, to: 250))
    #expect(budget.used == 250)
  }

  @Test("Many connections have equal shares, and together what the table allows", arguments: [1, 20, 200, 256])
  func sum(connections: Int) {
    for (use, all) in [(Use.input, 16), (.output, 32), (.events, 16)] {
      let budget = SharedMemoryBudget()
      var sizes = [Int](repeating: 0, count: connections)
      // All grow at the same time, as far as they may.
      let step = 1 << 14
      for _ in 0..<1024 {
        for index in sizes.indices where budget.change(use, from: sizes[index], to: sizes[index] + step) {
          sizes[index] += step
        }
      }
      let sum = sizes.reduce(0, +)
      #expect(sum <= all << 20 && sum == budget.used)
      #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= step)
      #expect(connections > 20 || sizes[0] >= 1 << 19)
    }
  }
}
