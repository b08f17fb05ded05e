import BlueZ
import VirtualBlueZ

extension StoryFailure {
  init(_ failure: ClientFailure) {
    switch failure {
    case .att(let error): self = .refused(error)
    case .notConnected: self = .notConnected
    case .disconnected: self = .linkLost
    case .pairing: self = .notPaired
    }
  }

  init(_ failure: CentralFailure) {
    switch failure {
    case .att(let error): self = .refused(error)
    case .notConnected: self = .notConnected
    case .notPaired: self = .notPaired
    case .timedOut(let limit): self = .tooLate(limit)
    case .noRadio, .refused, .bus: self = .radio("\(failure)")
    }
  }
}
