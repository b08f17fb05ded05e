import EventLoop
public import GATT
import Policy
import Synchronization

extension Central {
  /// Scans until it hears what it looks for; false where it does not within that time.
  ///
  /// An iPhone's app asks for the UUID that it looks for, unless `scan(for:)` has asked already.
  public func discovers(_ what: Sighting, within limit: Duration) async -> Bool {
    await discover(what, within: limit) != nil
  }

  /// Scans until it hears what it looks for; nil where it does not within that time.
  public func discover(_ what: Sighting, within limit: Duration) async -> Discovered? {
    let heard = state.withLock { $0.isAsked ? $0.discovered.first { $0.has(what) } : nil }
    if let heard {
      air.note(name, "has discovered \(what)")
      return heard
    }
    let found = await discover(asking: what.services, within: limit) { $0.has(what) }
    air.note(name, "\(found == nil ? "does not discover" : "discovers") \(what)")
    return found
  }

  /// Scans until it hears what `match` is true of; nil where it does not within that time. An iPhone's app asks for these
  /// services, unless `scan(for:)` has asked already.
  package func discover(
    asking services: [BluetoothUUID], within limit: Duration, _ match: @escaping @Sendable (Discovered) -> Bool
  ) async -> Discovered? {
    // That it has none has failed the story.
    guard let radio else { return nil }
    let result = try? await air.finish(within: limit) { [self] in
      seen.empty()
      await radio.run { [self] in begin(services, $0) }
      return await seen.first { match($0) ? $0 : nil }
    }
    withRadio({ [self] in end($0) }, otherwise: ())
    return result.flatMap { $0 }
  }

  private func begin(_ services: [BluetoothUUID], _ radio: isolated any CentralRadio) {
    let (isIPhone, isAsked) = state.withLock { ($0.ios != nil, $0.isAsked) }
    if !isIPhone { return radio.scan(true) }
    if !isAsked { feed(.scan(ScanRequest(services: services, allowsDuplicates: true))) }
  }

  private func end(_ radio: isolated any CentralRadio) {
    let (isIPhone, isAsked) = state.withLock { ($0.ios != nil, $0.isAsked) }
    if !isIPhone { return radio.scan(false) }
    if !isAsked { feed(.stopScan) }
  }

  // MARK: An iPhone's app

  /// `scanForPeripherals(withServices:options:)` of an iPhone's app: until `stopScan` it discovers each phone once, or in
  /// the foreground every time where it allows duplicates.
  public func scan(for services: [BluetoothUUID] = [], allowsDuplicates: Bool = false) {
    let request = ScanRequest(services: services, allowsDuplicates: allowsDuplicates)
    perform("scans for \(services.isEmpty ? "anything" : services.map { "\($0)" }.joined(separator: " "))") {
      $0.isAsked = true
      $0.discovered = []
      return .scan(request)
    }
  }

  public func stopScan() {
    perform("stops its scan") {
      $0.isAsked = false
      return .stopScan
    }
  }

  /// Of an iPhone's app.
  public func moveToForeground() { perform("is in the foreground") { _ in .foreground } }
  public func moveToBackground() { perform("is in the background") { _ in .background } }

  /// Of an iPhone: while its screen is off, every app is in the background, and nothing is read of the overflow area.
  public func switchScreen(on isOn: Bool) {
    perform(isOn ? "has its screen on" : "has its screen off") { _ in .screen(isOn: isOn) }
  }

  private func perform(_ what: String, _ change: @escaping @Sendable (inout State) -> IOSCentral.Event) {
    guard state.withLock({ $0.ios != nil }) else {
      return air.fail(.central("\(name) is no iPhone's app; make it one with Central(on: air, as: .iPhoneApp())"))
    }
    air.note(name, what)
    withRadio(
      { [self] _ in
        let event = state.withLock { change(&$0) }
        feed(event)
      }, otherwise: ())
  }
}

extension CentralRadio {
  func run(_ body: @Sendable (isolated Self) -> Void) { body(self) }
}
