import Synchronization

/// A queue of elements that tasks wait for. The order in which several waiting tasks are served is not defined.
package final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    /// Counts appended elements, so that a task can detect new ones.
    var version = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  package init(_ elements: [Element] = []) { state.withLock { $0.elements = elements } }

  package func append(_ element: Element) {
    state.withLock { state in
      state.elements.append(element)
      state.version += 1
    }
    wake()
  }

  package func removeAll() { state.withLock { $0.elements = [] } }

  /// Waits for an element, which stays in the inbox. Returns early if the task is cancelled.
  package func wait() async {
    while !Task.isCancelled {
      let (isEmpty, version) = state.withLock { ($0.elements.isEmpty, $0.version) }
      guard isEmpty else { return }
      await change(after: version)
    }
  }

  /// Removes and returns the first element for which `match` returns a value; nil if the task is cancelled.
  ///
  /// - Parameter discardingOthers: Also removes the elements before that element.
  package func next<Value: Sendable>(discardingOthers: Bool = true, _ match: (Element) -> Value?) async -> Value? {
    while !Task.isCancelled {
      let (found, version) = state.withLock { state -> (Value?, Int) in
        for index in state.elements.indices {
          guard let value = match(state.elements[index]) else { continue }
          state.elements.removeSubrange((discardingOthers ? 0 : index)...index)
          return (value, state.version)
        }
        if discardingOthers { state.elements = [] }
        return (nil, state.version)
      }
      if let found { return found }
      await change(after: version)
    }
    return nil
  }

  /// Returns when an element has been appended since `version`, or the task is cancelled.
  private func change(after version: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          if Task.isCancelled || state.version != version { return true }
          state.waiters.append(continuation)
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      // The other tasks find nothing new, and wait again.
      wake()
    }
  }

  private func wake() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
