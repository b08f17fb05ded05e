import BleperaBluetooth

/// The fragments of a link's frames: what the other side has not acknowledged, and the beginning of what arrives.
struct LinkFrames: Sendable {
  /// In order.
  private(set) var unsent: [UnsentPiece] = []
  private var reassembler = L2CAPReassembler()

  /// The commands that are not complete.
  var commands: [OperationID] { unsent.compactMap(\.command) }

  /// Keeps the content of a frame with its last fragment.
  mutating func send(_ content: UnsentPiece, in fragments: Int) {
    for _ in 1..<fragments { unsent.append(.part) }
    unsent.append(content)
  }

  /// The other side has acknowledged the first data that was not. Returns the command that is complete then.
  mutating func acknowledge() -> OperationID? { unsent.isEmpty ? nil : unsent.removeFirst().command }

  /// Returns the frame that the data completes.
  mutating func receive(_ data: LinkData) -> L2CAPFrame? { reassembler.receive(data.bytes, isStart: data.isStart) }
}

/// Data that the other side has not acknowledged.
enum UnsentPiece: Hashable, Sendable {
  case part
  /// The end of a notification or an indication.
  case value
  /// The end of a phone's command, which is then complete.
  case command(OperationID)

  fileprivate var command: OperationID? { if case .command(let operation) = self { operation } else { nil } }
}
