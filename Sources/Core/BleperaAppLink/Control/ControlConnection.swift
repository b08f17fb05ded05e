package import BleperaLoop
import Synchronization

/// A client of a phone's control socket: sends requests and receives events.
package final class ControlConnection: Sendable {
  /// How long a phone may take to reply.
  private static let replyTimeout = Duration.seconds(15)

  private let loop: any DescriptorLoop
  private let address: ControlAddress
  private let ended: @Sendable () -> Void
  private let channel: JSONChannel<ControlRequest, Incoming>
  private let state = Mutex(State())

  private struct State {
    /// In the order of their requests.
    var waiters: [CheckedContinuation<ControlReply, any Error>] = []
    var hasEnded = false
  }

  /// Events in the form that was asked for.
  package enum Events: Sendable {
    case record(EventRecord)
    case lines([EventText])
  }

  private enum Incoming: JSONLineReadable {
    case events(Events)
    case reply(ControlReply)

    init(reading object: inout JSONObjectReader) throws(JSONLine.Fault) {
      if object.has("lines") {
        self = .events(.lines(try EventLines(reading: &object).lines))
      } else if object.has("event") {
        self = .events(.record(try EventRecord(reading: &object)))
      } else {
        self = .reply(try ControlReply(reading: &object))
      }
    }
  }

  /// - Parameters:
  ///   - events: receives events after the request `events`; called on the loop's thread.
  ///   - ended: called on the loop's thread when the phone has ended the connection or does not reply.
  package init(
    loop: any DescriptorLoop, address: ControlAddress, events: @escaping @Sendable (Events) -> Void = { _ in },
    ended: @escaping @Sendable () -> Void = {}
  ) throws(ControlFailure) {
    (self.loop, self.address, self.ended) = (loop, address, ended)
    channel = JSONChannel(
      LineSocket(loop: loop, descriptor: try address.connect(), maximumLine: JSONLine.maximumLength))
    channel.receive { [weak self] what in
      switch what {
      case .message(.events(let what)): events(what)
      case .message(.reply(let reply)): self?.deliver(reply)
      // An event that a newer phone reports is skipped.
      case .invalid: break
      case .ended: self?.end()
      }
    }
  }

  /// - Throws: `ControlFailure.noResponse` where the phone ends before it has replied, or does not reply in time. The
  ///   connection is closed then.
  package func ask(
    _ request: ControlRequest, within limit: Duration = replyTimeout
  ) async throws(ControlFailure) -> ControlReply {
    let timer = loop.schedule(after: limit) { [weak self] in self?.end() }
    defer { timer.cancel() }
    do {
      return try await withCheckedThrowingContinuation { continuation in
        let hasEnded = state.withLock { state in
          if !state.hasEnded { state.waiters.append(continuation) }
          return state.hasEnded
        }
        if hasEnded { return continuation.resume(throwing: ControlFailure.noResponse(name: address.name)) }
        channel.send(request)
      }
    } catch {
      throw .noResponse(name: address.name)
    }
  }

  private func end() {
    close()
    ended()
  }

  package func close() {
    channel.close()
    let waiters = state.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(throwing: ControlFailure.noResponse(name: address.name)) }
  }

  private func deliver(_ reply: ControlReply) {
    let waiter = state.withLock { $0.waiters.isEmpty ? nil : $0.waiters.removeFirst() }
    waiter?.resume(returning: reply)
  }
}
