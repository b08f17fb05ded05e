package import BleperaBluetooth
package import BleperaHost

/// The operations of a host's users that have not completed, and the streams of open channels.
package struct HostUses: Sendable {
  package typealias Completion = @Sendable (Result<ProcedureAnswer, ProcedureFailure>) -> Void

  private var operations: [OperationID: Completion] = [:]
  private var streams: [ChannelEnd: ChannelStream] = [:]
  private var lastNumber = 0

  package init() {}

  package var openChannelEnds: [ChannelEnd] { Array(streams.keys) }

  package mutating func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  package mutating func begin(_ completion: @escaping Completion) -> OperationID {
    let id = OperationID(newNumber())
    operations[id] = completion
    return id
  }

  package mutating func attach(_ stream: ChannelStream, to end: ChannelEnd) { streams[end] = stream }

  /// A channel was closed by its user.
  package mutating func closed(_ end: ChannelEnd) { streams[end] = nil }

  /// The waiter for an action that is no user's; nil for an action that the user receives.
  package mutating func take(_ action: HostAction) -> (@Sendable () -> Void)? {
    switch action {
    case .completed(let id, let result):
      guard let completion = operations.removeValue(forKey: id) else { return {} }
      return { completion(result) }
    case .channelChanged(let end):
      guard let stream = streams[end] else { return {} }
      return { stream.assumeIsolated { $0.changed() } }
    default: return nil
    }
  }

  /// The waiter for a result of the link layer; nil for an event that the user receives.
  package mutating func take(_ event: LinkLayerEvent) -> (@Sendable () -> Void)? {
    guard case .rssi(let id, let rssi) = event else { return nil }
    return take(.completed(id, rssi.map { .success(.rssi($0)) } ?? .failure(.notConnected)))
  }
}
