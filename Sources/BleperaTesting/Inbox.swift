import Synchronization

/// What arrives, for one task to wait for.
final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var waiter: CheckedContinuation<Element?, Never>?
  }

  private let state = Mutex(State())

  func put(_ element: Element) {
    let waiter = state.withLock { state in
      let waiter = state.waiter
      if waiter == nil { state.elements.append(element) }
      state.waiter = nil
      return waiter
    }
    waiter?.resume(returning: element)
  }

  func empty() { state.withLock { $0.elements = [] } }

  /// The first that `match` makes something of; those before it are passed over. Nil where the task is cancelled.
  func first<Value>(_ match: (Element) -> Value?) async -> Value? {
    while let element = await next() {
      if let value = match(element) { return value }
    }
    return nil
  }

  private func next() async -> Element? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (element, isEnded) = state.withLock { state -> (Element?, Bool) in
          if Task.isCancelled { return (nil, true) }
          guard state.elements.isEmpty else { return (state.elements.removeFirst(), false) }
          state.waiter = continuation
          return (nil, false)
        }
        if element != nil || isEnded { continuation.resume(returning: element) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: nil)
    }
  }
}
