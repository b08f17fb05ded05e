import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus

/// Keeps a scan running while adapters are switched off, removed and plugged in again, and after refusals.
package struct ScanMachine: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    /// Nil stops scanning.
    case want(ScanFilter?)
    /// The adapter in use, while it is powered on.
    case adapterChanged(ObjectPath?)
    case started(ObjectPath)
    case failed(ObjectPath, DBusFailure)
    /// The request to stop has succeeded or failed.
    case stopped(ObjectPath)
    case retryDue
  }

  package enum Action: Hashable, Sendable {
    /// Set the filter, then start.
    case start(ObjectPath, ScanFilter)
    case stop(ObjectPath)
    /// Send `retryDue` after that time.
    case retry(Duration)
    case didStart
    /// Reported once for each series of failures.
    case didFail(DBusFailure)
  }

  private enum State: Hashable {
    /// May become starting.
    case idle
    /// May become scanning, waiting or idle.
    case starting(ObjectPath, ScanFilter)
    /// May become stopping, or idle.
    case scanning(ObjectPath, ScanFilter)
    /// bluetoothd refuses to start a scan until it has stopped this one. May become idle.
    case stopping(ObjectPath)
    /// After a refusal; may become starting or idle.
    case waiting
  }

  /// The delay of a retry: bluetoothd refuses while it is still busy with an earlier request.
  private static let retryDelay = Duration.seconds(1)

  private var state = State.idle
  private var wanted: ScanFilter?
  private var adapter: ObjectPath?
  private var hasFailed = false

  package init() {}

  package mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .want(let filter):
      wanted = filter
      return settle()
    case .adapterChanged(let new):
      guard new != adapter else { return [] }
      adapter = new
      // A scan on another adapter, or before a power-off, has ended.
      return idle()
    case .started(let path):
      guard case .starting(path, let filter) = state else { return [] }
      state = .scanning(path, filter)
      hasFailed = false
      return [.didStart] + settle()
    case .failed(let path, let failure):
      guard case .starting(path, _) = state else { return [] }
      state = .waiting
      defer { hasFailed = true }
      return (hasFailed ? [] : [.didFail(failure)]) + [.retry(Self.retryDelay)]
    case .stopped(let path): return state == .stopping(path) ? idle() : []
    case .retryDue: return state == .waiting ? idle() : []
    }
  }

  private mutating func idle() -> [Action] {
    state = .idle
    return settle()
  }

  /// The actions that lead from the state to the wanted filter.
  private mutating func settle() -> [Action] {
    switch (state, wanted) {
    case (.idle, let filter?):
      guard let adapter else { return [] }
      state = .starting(adapter, filter)
      return [.start(adapter, filter)]
    case (.scanning(let path, let current), let filter):
      guard current != filter else { return [] }
      state = .stopping(path)
      return [.stop(path)]
    case (.waiting, nil):
      state = .idle
      return []
    // The pending request must complete first.
    case (.starting, _), (.stopping, _), (.idle, nil), (.waiting, _?): return []
    }
  }
}

/// A scan filter (BlueZ doc/org.bluez.Adapter.rst, SetDiscoveryFilter). bluetoothd merges the filters of all its
/// clients and reports every device to each client, so results may not match this filter.
package struct ScanFilter: Hashable, Sendable {
  /// If not empty, a device must advertise one of these.
  package var serviceUUIDs: [BluetoothUUID]
  /// The minimum signal strength, in dBm; nil for any.
  package var rssi: Int?
  /// Whether manufacturer and service data are reported each time they are received, not only when they change.
  package var repeats: Bool

  package init(serviceUUIDs: [BluetoothUUID] = [], rssi: Int? = nil, repeats: Bool = false) {
    self.serviceUUIDs = serviceUUIDs
    self.rssi = rssi
    self.repeats = repeats
  }

  /// `a{sv}`; LE only, because an iPhone's apps can be discovered in no other way.
  ///
  /// The empty Pattern matches everything. From 5.67 on a filter of nothing but the transport counts as none on an
  /// LE-only adapter: devices that are not discoverable are then left out, changes of less than 8 dB are not signaled,
  /// and the scan pauses for 5 s after each 10 s.
  package var properties: DBusValue {
    var entries: [(String, DBusValue)] = [
      ("Transport", .string("le")), ("DuplicateData", .boolean(repeats)), ("Pattern", .string("")),
    ]
    if !serviceUUIDs.isEmpty { entries.append(("UUIDs", .strings(serviceUUIDs.map(\.longDescription)))) }
    if let rssi { entries.append(("RSSI", .int16(Int16(clamping: rssi)))) }
    return .properties(entries)
  }
}
