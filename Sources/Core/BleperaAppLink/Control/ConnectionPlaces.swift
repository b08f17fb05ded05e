/// The places of a phone's connections. Where all are taken, the one that has been silent longest gives its place to a
/// new one, so that connections that never send a line keep nobody out.
struct ConnectionPlaces {
  enum Admission: Equatable {
    case admitted
    /// Admitted in the place of another connection, which has to be closed.
    case inPlace(of: Int)
    case refused
  }

  /// How many there are.
  static let count = 256
  /// How long a connection may be silent before it gives its place.
  static let silence = Duration.seconds(10)

  /// In the order in which they came.
  private var silent: [(id: Int, since: Duration)] = []
  private var others: Set<Int> = []

  mutating func admit(_ id: Int, at now: Duration) -> Admission {
    var admission = Admission.admitted
    if silent.count + others.count >= Self.count {
      guard let first = silent.first, now - first.since >= Self.silence else { return .refused }
      silent.removeFirst()
      admission = .inPlace(of: first.id)
    }
    silent.append((id, now))
    return admission
  }

  /// The connection has sent a line.
  mutating func hasSpoken(_ id: Int) {
    guard let index = silent.firstIndex(where: { $0.id == id }) else { return }
    silent.remove(at: index)
    others.insert(id)
  }

  mutating func leave(_ id: Int) {
    silent.removeAll { $0.id == id }
    others.remove(id)
  }
}
