import AppLink

/// What an app answers once.
enum AppRequest: Hashable, Sendable {
  case read(ReadRequest)
  /// The first of them, whose identifier the answer has, and the others.
  case write(WriteRequest, [WriteRequest])

  var id: RequestID {
    switch self {
    case .read(let request): request.id
    case .write(let first, _): first.id
    }
  }

  var characteristics: [CharacteristicID] {
    switch self {
    case .read(let request): [request.characteristic]
    case .write(let first, let others): [first.characteristic] + others.map(\.characteristic)
    }
  }
}
