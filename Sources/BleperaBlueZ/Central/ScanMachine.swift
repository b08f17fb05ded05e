import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus

/// Keeps a scan running: through adapters that are switched off, pulled out and come back, and refusals.
package struct ScanMachine: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    /// Nil to hear nothing.
    case want(ScanFilter?)
    /// The adapter in use, while it is powered on.
    case adapterChanged(ObjectPath?)
    case started(ObjectPath)
    case failed(ObjectPath, DBusFailure)
    case retryDue
  }

  package enum Action: Hashable, Sendable {
    /// Set the filter, then start.
    case start(ObjectPath, ScanFilter)
    case stop(ObjectPath)
    /// `retryDue` after that.
    case retry(Duration)
    case didStart
    /// Told of each row of failures once.
    case didFail(DBusFailure)
  }

  private enum State: Hashable {
    /// Becomes starting.
    case idle
    /// Becomes scanning, or waiting.
    case starting(ObjectPath, ScanFilter)
    /// Becomes starting for another filter, or idle.
    case scanning(ObjectPath, ScanFilter)
    /// After a refusal; becomes starting.
    case waiting
  }

  /// bluetoothd refuses while it is still busy with what was before.
  private static let patience = Duration.seconds(1)

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
      // What was going on at the other one, or before it was switched off, is over.
      state = .idle
      return settle()
    case .started(let path):
      guard case .starting(path, let filter) = state else { return [] }
      state = .scanning(path, filter)
      hasFailed = false
      return [.didStart] + settle()
    case .failed(let path, let failure):
      guard case .starting(path, _) = state else { return [] }
      state = .waiting
      defer { hasFailed = true }
      return (hasFailed ? [] : [.didFail(failure)]) + [.retry(Self.patience)]
    case .retryDue:
      guard case .waiting = state else { return [] }
      state = .idle
      return settle()
    }
  }

  /// What has to be done for the wish.
  private mutating func settle() -> [Action] {
    switch (state, wanted) {
    case (.idle, let filter?):
      guard let adapter else { return [] }
      state = .starting(adapter, filter)
      return [.start(adapter, filter)]
    case (.scanning(let path, let current), let filter?):
      guard current != filter else { return [] }
      state = .starting(path, filter)
      return [.stop(path), .start(path, filter)]
    case (.scanning(let path, _), nil):
      state = .idle
      return [.stop(path)]
    case (.waiting, nil):
      state = .idle
      return []
    // What has been asked for is answered first.
    case (.starting, _), (.idle, nil), (.waiting, _?): return []
    }
  }
}

/// What a central wants to hear of (BlueZ doc/org.bluez.Adapter.rst, SetDiscoveryFilter). bluetoothd hears for all of
/// its clients at once and tells each of all, so what comes may be more.
package struct ScanFilter: Hashable, Sendable {
  /// One of them has to be advertised, where there are any.
  package var serviceUUIDs: [BluetoothUUID]
  /// The weakest signal, in dBm; nil for any.
  package var rssi: Int?
  /// Whether manufacturer and service data are told each time they are heard, not only when they change.
  package var repeats: Bool

  package init(serviceUUIDs: [BluetoothUUID] = [], rssi: Int? = nil, repeats: Bool = false) {
    self.serviceUUIDs = serviceUUIDs
    self.rssi = rssi
    self.repeats = repeats
  }

  /// `a{sv}`; LE alone, because an iPhone's apps are not found in any other way.
  package var properties: DBusValue {
    var entries: [(String, DBusValue)] = [("Transport", .string("le")), ("DuplicateData", .boolean(repeats))]
    if !serviceUUIDs.isEmpty { entries.append(("UUIDs", .strings(serviceUUIDs.map(\.longDescription)))) }
    if let rssi { entries.append(("RSSI", .int16(Int16(clamping: rssi)))) }
    return .properties(entries)
  }
}
