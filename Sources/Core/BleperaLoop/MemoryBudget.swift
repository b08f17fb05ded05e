import Synchronization

/// How much memory the connections of a phone may take together, so that no client can take the process's.
///
/// A connection has at most as much as is left for the others, so each of many has less, and a small amount always.
package struct MemoryBudget: Hashable, Sendable {
  package enum Use: CaseIterable, Hashable, Sendable {
    /// Received bytes that are not a whole line yet, and lines that wait to be performed.
    case input
    /// Replies and messages that the other side has not read; a connection that needs more is closed.
    case output
    /// Events that the other side has not read, beside its replies; further events are omitted.
    case events
  }

  /// In bytes.
  package struct Limit: Hashable, Sendable {
    /// The size that each connection may have, however much the others have.
    package var always: Int
    package var one: Int
    package var all: Int
  }

  package var input = Limit(always: 1 << 14, one: 5 << 20, all: 16 << 20)
  package var output = Limit(always: 1 << 14, one: 16 << 20, all: 32 << 20)
  /// The limit of the output beyond which events are omitted.
  package var events = Limit(always: 1 << 14, one: 1 << 20, all: 16 << 20)

  private var received = 0
  private var unread = 0

  /// In bytes, of all connections.
  package var used: Int { received + unread }

  package init() {}

  /// Changes the size that a connection has; returns false, and changes nothing, where the new size exceeds the limit.
  ///
  /// - Parameters:
  ///   - old: the size until now, in bytes, of input or of output and events together.
  ///   - new: the size to be, of the same bytes.
  package mutating func change(_ use: Use, from old: Int, to new: Int) -> Bool {
    let limit = limit(of: use)
    let others = (use == .input ? received : unread) - old
    let isAllowed = new <= max(old, limit.always) || (new <= limit.one && new <= limit.all - others - new)
    guard isAllowed else { return false }
    if use == .input { received = others + new } else { unread = others + new }
    return true
  }

  private func limit(of use: Use) -> Limit {
    switch use {
    case .input: input
    case .output: output
    case .events: events
    }
  }
}

/// The budget of the sockets of one phone, or of one connection to a phone.
package final class SharedMemoryBudget: Sendable {
  private let budget: Mutex<MemoryBudget>

  package init(_ budget: MemoryBudget = MemoryBudget()) { self.budget = Mutex(budget) }

  /// The size that all connections have together, in bytes.
  package var used: Int { budget.withLock { $0.used } }

  package func change(_ use: MemoryBudget.Use, from old: Int, to new: Int) -> Bool {
    old == new || budget.withLock { $0.change(use, from: old, to: new) }
  }
}
