/// Work in the order of its arrival. Work that other work causes waits its turn, so that none begins within another.
struct WorkQueue<Work> {
  private var works: [Work] = []
  /// The index of the next of `works`.
  private var position = 0
  /// Whether somebody performs the work.
  private(set) var isInProgress = false

  var isEmpty: Bool { position == works.endIndex }

  mutating func add(_ work: Work) { works.append(work) }
  mutating func add(_ new: [Work]) { works += new }

  /// Whether the caller has to perform the work, until `next` is nil; false while somebody does.
  mutating func begin() -> Bool {
    defer { isInProgress = true }
    return !isInProgress
  }

  mutating func next() -> Work? {
    guard !isEmpty else {
      works.removeAll(keepingCapacity: true)
      (position, isInProgress) = (0, false)
      return nil
    }
    position += 1
    return works[position - 1]
  }
}
