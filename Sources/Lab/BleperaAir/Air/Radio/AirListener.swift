import BleperaBluetooth
import BleperaHost

/// The part of an adapter that decides whether it receives a packet on an advertising channel. The part is small, because
/// there are as many receptions as events times listeners.
struct AirListener: Sendable {
  let id: AdapterID
  let scan: ListeningWindow?
  /// The window in which the adapter waits for a device to connect to; the scan's window counts, too, but for an attempt
  /// of a host above a controller.
  let connection: ListeningWindow?
  let connectsInScan: Bool
  let receivesExtended: Bool
  /// The keys with which its host resolves addresses, by the addresses by which the devices are known.
  let keys: [DeviceAddress: IdentityResolvingKey]
  /// The time in microseconds before which no event begins that the adapter receives.
  private var silenceEnd = 0
  /// The last event, and the channels on which the adapter receives its packets.
  private(set) var last: (event: Int, channels: UInt8) = (-1, 0)

  /// Nil for an adapter that neither scans nor waits to connect.
  init?(_ adapter: AirAdapter, keys: [DeviceAddress: IdentityResolvingKey]) {
    guard adapter.isPowered, adapter.scan != nil || adapter.isConnecting else { return nil }
    id = adapter.id
    scan = adapter.scan.map { ListeningWindow($0, from: adapter.scanStart, first: adapter.firstChannel) }
    connectsInScan = adapter.isConnecting && adapter.attempt == nil
    connection =
      if let attempt = adapter.attempt {
        ListeningWindow(attempt.window, from: attempt.start)
      } else if adapter.isConnecting {
        ListeningWindow(adapter.listening ?? .ofConnections, from: adapter.listeningStart)
      } else {
        nil
      }
    receivesExtended = adapter.description.receivesExtended
    self.keys = keys
  }

  /// Whether the adapter listens as another one does.
  func listens(as other: AirListener?) -> Bool {
    scan == other?.scan && connection == other?.connection && connectsInScan == other?.connectsInScan
  }

  /// Returns the channels on which the adapter receives packets of an event, as bits.
  mutating func channels(ofEvent number: Int, at time: Int, spacing: Int, length: Int) -> UInt8 {
    guard time >= silenceEnd else { return 0 }
    var (bits, next): (UInt8, Int) = (0, .max)
    if let scan { (bits, next) = scan.channels(ofEventAt: time, spacing: spacing, length: length) }
    if let connection {
      let part = connection.channels(ofEventAt: time, spacing: spacing, length: length)
      (bits, next) = (bits | part.bits, min(next, part.next))
    }
    // An event that begins earlier may have its last packet in the next window.
    if bits == 0 { silenceEnd = next - 2 * spacing } else { last = (number, bits) }
    return bits
  }
}

extension ScanWindow {
  /// The Linux kernel's window for a connection (`hci_core.c`), of an adapter whose host names no other.
  fileprivate static let ofConnections = ScanWindow(
    interval: .milliseconds(60), window: .milliseconds(60), isActive: false)
}
