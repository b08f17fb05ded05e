public import BleperaBluetooth
import BleperaRules
import Synchronization

extension Central {
  /// Scans until the target is discovered; false if not discovered within that time.
  ///
  /// An iPhone's app scans for the target's UUID, unless `scan(for:)` has begun a scan already.
  public func discovers(_ target: ScanTarget, within limit: Duration) async -> Bool {
    await discover(target, within: limit) != nil
  }

  /// Scans until the target is discovered; nil if not discovered within that time.
  public func discover(_ target: ScanTarget, within limit: Duration) async -> DiscoveredPeripheral? {
    let earlier = state.withLock { $0.isScanning ? $0.discovered.first { $0.matches(target) } : nil }
    if let earlier {
      air.note(name, "has discovered \(target)")
      return earlier
    }
    let found = await discover(scanningFor: target.services, within: limit) { $0.matches(target) }
    air.note(name, "\(found == nil ? "does not discover" : "discovers") \(target)")
    return found
  }

  /// Scans until `match` returns true; nil after the time limit. An iPhone's app scans for these services, unless
  /// `scan(for:)` has begun a scan already.
  package func discover(
    scanningFor services: [BluetoothUUID], within limit: Duration,
    _ match: @escaping @Sendable (DiscoveredPeripheral) -> Bool
  ) async -> DiscoveredPeripheral? {
    // A missing radio has failed the story already.
    guard let radio else { return nil }
    let result = try? await air.finish(within: limit) { [self] in
      discoveries.removeAll()
      await radio.run { [self] in begin(services, $0) }
      return await discoveries.next { match($0) ? $0 : nil }
    }
    withRadio({ [self] in end($0) }, otherwise: ())
    return result.flatMap { $0 }
  }

  private func begin(_ services: [BluetoothUUID], _ radio: isolated any CentralRadio) {
    let (isIPhone, isScanning) = state.withLock { ($0.ios != nil, $0.isScanning) }
    if !isIPhone { return radio.scan(true) }
    if !isScanning { feed(.scan(ScanRequest(services: services, allowsDuplicates: true))) }
  }

  private func end(_ radio: isolated any CentralRadio) {
    let (isIPhone, isScanning) = state.withLock { ($0.ios != nil, $0.isScanning) }
    if !isIPhone { return radio.scan(false) }
    if !isScanning { feed(.stopScan) }
  }

  // MARK: An iPhone's app

  /// `scanForPeripherals(withServices:options:)` of an iPhone's app: until `stopScan` the app discovers each phone
  /// once, or in the foreground every time if `allowsDuplicates`.
  public func scan(for services: [BluetoothUUID] = [], allowsDuplicates: Bool = false) {
    let request = ScanRequest(services: services, allowsDuplicates: allowsDuplicates)
    perform("scans for \(services.isEmpty ? "anything" : services.map { "\($0)" }.joined(separator: " "))") {
      if !$0.isScanning || $0.request != request { $0.discovered = [] }
      ($0.isScanning, $0.request) = (true, request)
      return .scan(request)
    }
  }

  /// Ends the scan of an iPhone's app, as `stopScan` of `CBCentralManager` does.
  public func stopScan() {
    perform("stops its scan") {
      $0.isScanning = false
      return .stopScan
    }
  }

  /// Moves an iPhone's app to the foreground.
  public func moveToForeground() { perform("is in the foreground") { _ in .foreground } }

  /// Moves an iPhone's app to the background.
  public func moveToBackground() { perform("is in the background") { _ in .background } }

  /// Switches an iPhone's screen: while it is off, every app is in the background, and the overflow area is not read.
  public func switchScreen(on isOn: Bool) {
    perform(isOn ? "has its screen on" : "has its screen off") { _ in .screen(isOn: isOn) }
  }

  /// Starts a Live Activity of an iPhone's app, in the foreground: from iOS 26 on the app then scans in the background
  /// too without services, and discovers a phone again if it `allowsDuplicates`.
  public func startLiveActivity() {
    let refusal: String? = state.withLock {
      guard let ios = $0.ios else { return nil }
      guard ios.rules.liveActivityScans.value else {
        return "on iOS \(ios.rules.version.rawValue) a Live Activity changes nothing; that takes iOS 26"
      }
      return ios.isForeground ? nil : "a Live Activity has to be started in the foreground"
    }
    if let refusal { return air.fail(.central("\(name): \(refusal)")) }
    perform("starts a Live Activity") { _ in .liveActivity(isOn: true) }
  }

  /// Ends the Live Activity of an iPhone's app.
  public func endLiveActivity() { perform("ends its Live Activity") { _ in .liveActivity(isOn: false) } }

  private func perform(_ what: String, _ change: @escaping @Sendable (inout State) -> IOSCentral.Event) {
    guard state.withLock({ $0.ios != nil }) else {
      return air.fail(.central("\(name) is not an iPhone's app; make it one with Central(on: air, as: .iPhoneApp())"))
    }
    air.note(name, what)
    withRadio(
      { [self] _ in
        let event = state.withLock { change(&$0) }
        feed(event)
      }, otherwise: ())
  }
}
