import Synchronization

/// A queue that handlers fill and one task empties, in order.
package final class Mailbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var waiter: CheckedContinuation<Element?, Never>?
  }

  private let state = Mutex(State())

  package init() {}

  package func put(_ element: Element) {
    let waiter = state.withLock { state in
      guard let waiter = state.waiter else {
        state.elements.append(element)
        return nil as CheckedContinuation<Element?, Never>?
      }
      state.waiter = nil
      return waiter
    }
    waiter?.resume(returning: element)
  }

  /// Waits for the next element; throws where the test's time limit cancels the task.
  package func next() async throws -> Element {
    let element = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let element = state.withLock { state -> Element?? in
          if Task.isCancelled { return .some(nil) }
          guard state.elements.isEmpty else { return state.elements.removeFirst() }
          state.waiter = continuation
          return nil
        }
        if let element { continuation.resume(returning: element) }
      }
    } onCancel: {
      state.withLock { state in
        state.waiter?.resume(returning: nil)
        state.waiter = nil
      }
    }
    guard let element else { throw CancellationError() }
    return element
  }

  /// The next `count`.
  package func next(_ count: Int) async throws -> [Element] {
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try await next()) }
    return elements
  }

  /// The elements that nobody has taken yet.
  package var left: [Element] { state.withLock { $0.elements } }
}
