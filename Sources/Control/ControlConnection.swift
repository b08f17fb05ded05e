package import EventLoop
import Synchronization

/// Asks a running system one thing after another, and hears its events.
package final class ControlConnection: Sendable {
  private let address: ControlAddress
  private let socket: LineSocket
  private let state = Mutex(State())

  private struct State {
    /// In the order of their requests.
    var waiters: [CheckedContinuation<ControlReply, any Error>] = []
    var hasEnded = false
  }

  /// In bytes: `status` of a phone with many services.
  private static let maximumLine = 4 << 20

  /// - Parameters:
  ///   - event: hears a line of JSON for each event, once `events` was asked; on the loop's thread.
  package init(
    loop: EventLoop, address: ControlAddress, event: @escaping @Sendable ([UInt8]) -> Void
  ) throws(ControlFailure) {
    self.address = address
    socket = LineSocket(loop: loop, descriptor: try address.connect(), maximumLine: Self.maximumLine)
    socket.handle { [weak self] what in
      guard let self else { return }
      switch what {
      case .line(let line): if !answer(line) { event(line) }
      case .ended, .lineTooLong: close()
      }
    }
  }

  /// - Throws: `ControlFailure.noAnswer` where the system goes before it has answered.
  package func ask(_ request: ControlRequest) async throws(ControlFailure) -> ControlReply {
    guard let line = try? ControlLine.encode(request) else { throw .noAnswer(name: address.name) }
    do {
      return try await withCheckedThrowingContinuation { continuation in
        let hasEnded = state.withLock { state in
          if !state.hasEnded { state.waiters.append(continuation) }
          return state.hasEnded
        }
        if hasEnded { return continuation.resume(throwing: ControlFailure.noAnswer(name: address.name)) }
        socket.send(line)
      }
    } catch {
      throw .noAnswer(name: address.name)
    }
  }

  package func close() {
    socket.close()
    let waiters = state.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(throwing: ControlFailure.noAnswer(name: address.name)) }
  }

  /// False where the line is an event.
  private func answer(_ line: [UInt8]) -> Bool {
    let isAwaited = state.withLock { !$0.waiters.isEmpty }
    guard isAwaited, !ControlLine.isEvent(line), let reply = try? ControlLine.decode(ControlReply.self, line) else {
      return false
    }
    let waiter = state.withLock { $0.waiters.isEmpty ? nil : $0.waiters.removeFirst() }
    waiter?.resume(returning: reply)
    return true
  }
}
