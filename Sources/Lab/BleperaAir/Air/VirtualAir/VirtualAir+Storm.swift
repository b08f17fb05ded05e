import BleperaBluetooth
import BleperaHost

/// A central that updates the parameters of its connections again and again (`PhoneDefect.parameterStorm`).
extension VirtualAir {
  /// Begins the storm if `isShort` is nil, and makes its next update otherwise.
  mutating func storm(over id: ConnectionID, isShort: Bool? = nil) {
    guard let connection = connections[id], isShort != nil || !connection.isInStorm else { return }
    connections[id]?.isInStorm = adapters[connection.central]?.defects.contains(.parameterStorm) == true
    guard connections[id]?.isInStorm == true else { return }
    let former = connection.parameters
    if let isShort {
      let parameters = LinkParameters(
        interval: isShort ? .microseconds(7500) : .milliseconds(15), latency: former.latency,
        supervisionTimeout: former.supervisionTimeout)
      send(.control(.update(parameters), isUpward: true), over: id)
    }
    // An update ends at its instant, before which the next one may not begin.
    let pause = max(.milliseconds(120), former.interval * (Self.instant + 2))
    timers.add(.storm(id, isShort: isShort != true), at: now + pause)
  }
}
