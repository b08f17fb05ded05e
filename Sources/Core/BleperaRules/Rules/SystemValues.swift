package import BleperaBluetooth

/// The system's own scan after the screen was lit or unlocked.
package struct BoostedScan: Hashable, Sendable, CustomStringConvertible {
  package let timing: ScanTiming
  package let time: Duration

  /// `30 ms of 60 ms for 10 s`.
  package var description: String { "\(timing) for \(time.components.seconds) s" }
}

/// The parameters that a phone as the central requests from its controller.
package struct RequestedLink: Hashable, Sendable, CustomStringConvertible {
  package let minimum: Duration
  package let maximum: Duration
  /// In connection events.
  package let latency: Int
  package let timeout: Duration

  /// `10 to 30 ms, latency 0, 720 ms`.
  package var description: String {
    let times = [minimum, maximum, timeout].map { AdvertisingInterval.text($0 / .milliseconds(1)) }
    return "\(times[0]) to \(times[1]) ms, latency \(latency), \(times[2]) ms"
  }
}

/// The handles of a phone's own services.
package struct OwnHandles: Hashable, Sendable, CustomStringConvertible {
  package struct Service: Hashable, Sendable {
    package let uuid: BluetoothUUID
    package let handle: Int
  }

  /// In the order of their handles.
  package let services: [Service]

  /// `9 services`.
  package var description: String { services.count == 1 ? "1 service" : "\(services.count) services" }
}

extension OwnHandles {
  /// The handles of an iPhone 17 Pro Max with iOS 26.5.1.
  static let measured = OwnHandles(
    services: [
      (0x1800, 0x01), (0x1801, 0x06), (0x180A, 0x0A), (0x180F, 0x0F), (0x1805, 0x13),
    ].map { (uuid: UInt16, handle) in Service(uuid: BluetoothUUID(uuid), handle: handle) } + [
      Service(uuid: ServiceDefinition.appleNotificationCenter, handle: 0x19),
      Service(uuid: ServiceDefinition.appleMedia, handle: 0x23),
      Service(uuid: ServiceDefinition.continuity, handle: 0x2F), Service(uuid: ServiceDefinition.nearby, handle: 0x34),
    ])
}
