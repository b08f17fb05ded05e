import Synchronization

/// What arrives, for one task to wait for.
final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func put(_ element: Element) {
    let waiter = state.withLock { state in
      state.elements.append(element)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  func empty() { state.withLock { $0.elements = [] } }

  /// Takes the first that `match` makes something of. Nil where the task is cancelled.
  ///
  /// - Parameter keepsOthers: leaves those before it there; otherwise they are passed over for good.
  func first<Value>(keepsOthers: Bool = false, _ match: (Element) -> Value?) async -> Value? {
    var looked = 0
    while !Task.isCancelled {
      let found = state.withLock { state -> Value? in
        for index in looked..<max(looked, state.elements.count) {
          guard let value = match(state.elements[index]) else { continue }
          state.elements.removeSubrange((keepsOthers ? index : 0)...index)
          return value
        }
        looked = keepsOthers ? state.elements.count : 0
        if !keepsOthers { state.elements = [] }
        return nil
      }
      if let found { return found }
      await news(after: looked)
    }
    return nil
  }

  /// Returns when there are more than that, or the task is cancelled.
  private func news(after count: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          if Task.isCancelled || state.elements.count > count { return true }
          state.waiter = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume()
    }
  }
}
