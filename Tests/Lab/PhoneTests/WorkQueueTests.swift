import Testing

@testable import BleperaPhone

@Suite("Work is performed one after the other")
struct WorkQueueTests {
  /// The work that is added at first, the work that each piece adds, and the order in which it is performed.
  private static let cases: [([Int], [Int: [Int]], [Int])] = [
    ([], [:], []), ([1, 2], [:], [1, 2]), ([1, 2], [1: [3, 4]], [1, 2, 3, 4]),
    ([1, 2], [1: [3], 2: [4], 3: [5]], [1, 2, 3, 4, 5]),
  ]

  @Test("Work that other work causes comes after all that waits", arguments: cases)
  func order(first: [Int], caused: [Int: [Int]], performed: [Int]) {
    var queue = WorkQueue<Int>()
    var done: [Int] = []
    var left: [Int] = []
    var begins: [Bool] = []
    for _ in 0..<2 {
      queue.add(first)
      begins.append(queue.begin())
      while let work = queue.next() {
        done.append(work)
        queue.add(caused[work] ?? [])
        if queue.isEmpty { left.append(work) }
        #expect(queue.isInProgress)
        begins.append(queue.begin())
      }
      #expect(queue.isEmpty && !queue.isInProgress)
    }
    #expect(done == performed + performed)
    let begun = [true] + performed.map { _ in false }
    #expect(begins == begun + begun)
    #expect(left == (performed.last.map { [$0, $0] } ?? []))
  }
}
