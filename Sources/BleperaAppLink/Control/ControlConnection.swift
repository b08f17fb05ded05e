package import BleperaLoop
import Synchronization

/// A client of a phone's control socket: sends requests and receives events.
package final class ControlConnection: Sendable {
  private let address: ControlAddress
  private let channel: JSONChannel<ControlRequest, Incoming>
  private let state = Mutex(State())

  private struct State {
    /// In the order of their requests.
    var waiters: [CheckedContinuation<ControlReply, any Error>] = []
    var hasEnded = false
  }

  private enum Incoming: JSONLineReadable {
    case event(EventRecord)
    case reply(ControlReply)

    private enum Key: CodingKey {
      case event
    }

    init?(reading object: inout JSONObjectReader) {
      guard let record = EventRecord(reading: &object) else { return nil }
      self = .event(record)
    }

    init(from decoder: any Decoder) throws {
      let isEvent = try decoder.container(keyedBy: Key.self).contains(.event)
      self = isEvent ? .event(try EventRecord(from: decoder)) : .reply(try ControlReply(from: decoder))
    }
  }

  /// - Parameters:
  ///   - event: receives each event after the request `events`; called on the loop's thread.
  ///   - ended: called on the loop's thread when the phone has ended the connection.
  package init(
    loop: any DescriptorLoop, address: ControlAddress, event: @escaping @Sendable (EventRecord) -> Void = { _ in },
    ended: @escaping @Sendable () -> Void = {}
  ) throws(ControlFailure) {
    self.address = address
    channel = JSONChannel(
      LineSocket(loop: loop, descriptor: try address.connect(), maximumLine: JSONLine.maximumLength))
    channel.receive { [weak self] what in
      switch what {
      case .message(.event(let record)): event(record)
      case .message(.reply(let reply)): self?.deliver(reply)
      // An event that a newer phone reports is skipped.
      case .invalid: break
      case .ended:
        self?.close()
        ended()
      }
    }
  }

  /// - Throws: `ControlFailure.noResponse` where the phone ends before it has replied.
  package func ask(_ request: ControlRequest) async throws(ControlFailure) -> ControlReply {
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
