import SimulatedRadio
import Synchronization
import VirtualBlueZ

/// Which centrals know the services of which phones.
final class LinkTable: Sendable {
  private struct Link: Hashable {
    let central: String
    let phone: DeviceAddress
  }

  private let resolved = Mutex<Set<Link>>([])

  func hear(_ event: SimulatedCentral.Event, of central: String) {
    switch event {
    case .services(let phone): resolved.withLock { _ = $0.insert(Link(central: central, phone: phone)) }
    case .disconnected(let phone): resolved.withLock { _ = $0.remove(Link(central: central, phone: phone)) }
    case .heard, .connected, .value: break
    }
  }

  func isResolved(_ central: String, _ phone: DeviceAddress) -> Bool {
    resolved.withLock { $0.contains(Link(central: central, phone: phone)) }
  }
}
