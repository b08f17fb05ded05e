public import BleperaBluetooth
import BleperaRules
import Synchronization

extension Central {
  /// ATT's transaction timeout (Core Specification, Vol 3, Part F, 3.3.3).
  private static let transactionTimeout = Duration.seconds(30)
  /// The Security Manager allows 30 s for each step (Core Specification, Vol 3, Part H, 3.4).
  private static let pairingTimeout = Duration.seconds(90)

  // MARK: Connections

  /// Connects, however long the phone takes to advertise and whatever its address then is, and discovers its services.
  /// After the limit the attempt continues, and the next call waits for the same attempt.
  ///
  /// - Throws: `StoryFailure.timedOut` after the limit, or `radio` if the central cannot use its radio.
  public func connect(to phone: Phone, within limit: Duration = .seconds(60)) async throws(StoryFailure) {
    try await connect(toDevice: phone, limit)
  }

  /// Connects to an accessory as to a phone.
  ///
  /// - Throws: `StoryFailure.timedOut` after the limit, or `radio` if the central cannot use its radio.
  public func connect(to accessory: Accessory, within limit: Duration = .seconds(60)) async throws(StoryFailure) {
    try await connect(toDevice: accessory, limit)
  }

  func connect(toDevice device: any AirDevice, _ limit: Duration) async throws(StoryFailure) {
    let known = connectedAddress.flatMap { device.hasUsed($0) ? $0 : nil }
    state.withLock { $0.target = known == nil ? device : nil }
    try await connect(to: known ?? device.identityAddress, limit)
  }

  /// Connects to a discovered phone under the address with which it was discovered; a phone that has another address
  /// since then is recognized by a bonded central only.
  ///
  /// - Throws: `StoryFailure.timedOut` after the limit, or `radio` if the central cannot use its radio.
  public func connect(
    to phone: DiscoveredPeripheral, within limit: Duration = .seconds(60)
  ) async throws(StoryFailure) {
    state.withLock { $0.target = nil }
    try await connect(to: phone.address, limit)
  }

  private func connect(to phone: String, _ limit: Duration) async throws(StoryFailure) {
    guard let radio else { throw .notConnected }
    state.withLock { $0.phone = phone }
    try await air.finish(within: limit) { [self] in
      if await radio.isConnected(to: phone), await !radio.services(of: phone).isEmpty { return }
      linkEvents.removeAll()
      await radio.run { [self] radio in
        if state.withLock({ $0.ios == nil }) {
          radio.connect(to: phone)
        } else {
          feed(.connect(PeripheralID(rawValue: phone)))
        }
      }
      guard await linkEvents.next({ $0 == .services(phone) ? true : nil }) == true else { throw CancellationError() }
    }
  }

  /// Ends the connection or the connection attempt.
  public func disconnect() async {
    guard let radio, let phone = state.withLock({ $0.phone }) else { return }
    _ = try? await air.finish(within: Self.transactionTimeout) { [self] in
      await radio.run { [self] _ in feed(.cancelConnection(PeripheralID(rawValue: phone))) }
      await radio.disconnect(from: phone)
    }
  }

  /// Whether the central is connected to the phone that it connected to last.
  public var isConnected: Bool {
    guard let phone = state.withLock({ $0.phone }) else { return false }
    return withRadio({ $0.isConnected(to: phone) }, otherwise: false)
  }

  /// Whether the connection ends within that time.
  public func isDisconnected(within limit: Duration) async -> Bool {
    guard let radio, let phone = state.withLock({ $0.phone }) else { return true }
    let result = try? await air.finish(within: limit) { [linkEvents] in
      while await radio.isConnected(to: phone) {
        guard await linkEvents.next({ $0 == .disconnected(phone) ? true : nil }) == true else { return false }
      }
      return true
    }
    return result == true
  }

  /// Pairs with Just Works.
  ///
  /// - Parameter isComparing: Whether the central has a display, and its user accepts the number that both sides then
  ///   show; on the virtual radio only.
  ///
  /// - Throws: `StoryFailure.notPaired` if the phone refuses, `notConnected`, `linkLost` or `timedOut`.
  public func pair(comparing isComparing: Bool = false) async throws(StoryFailure) {
    if isComparing { air.virtualBackend(for: "a central with a display")?.setDisplay(of: address) }
    try await use(Self.pairingTimeout) { (radio, phone) async throws(StoryFailure) in try await radio.pair(with: phone)
    }
  }

  // MARK: Attributes

  /// The UUIDs of the phone's discovered services.
  public var services: [BluetoothUUID] {
    guard let phone = state.withLock({ $0.phone }) else { return [] }
    return withRadio({ $0.services(of: phone) }, otherwise: [])
  }

  /// The address of the connected phone; nil if not connected.
  package var connectedAddress: String? { isConnected ? state.withLock { $0.phone } : nil }

  /// Reads a characteristic of the connected phone.
  ///
  /// - Returns: The whole value; a value longer than the ATT_MTU is read in parts.
  /// - Throws: `StoryFailure.notConnected`, `noCharacteristic`, `refused` with the phone's error, `linkLost` or
  ///   `timedOut`.
  public func read(_ characteristic: BluetoothUUID) async throws(StoryFailure) -> [UInt8] {
    let found = try find(characteristic)
    return try await use { (radio, phone) async throws(StoryFailure) in try await radio.read(found, of: phone) }
  }

  /// Writes a characteristic of the connected phone; a long value is written in pieces.
  ///
  /// - Parameter withResponse: Whether the phone confirms the write. Without a response no error of the phone is
  ///   received.
  ///
  /// - Throws: `StoryFailure.notConnected`, `noCharacteristic`, `refused` with the phone's error, `linkLost` or
  ///   `timedOut`.
  public func write(
    _ value: [UInt8], to characteristic: BluetoothUUID, withResponse: Bool = true
  ) async throws(StoryFailure) {
    let found = try find(characteristic)
    try await use { (radio, phone) async throws(StoryFailure) in
      try await radio.write(value, to: found, of: phone, withResponse: withResponse)
    }
  }

  /// Writes all of the values or none, as Android's reliable write does: the pieces of all values are prepared and then
  /// executed together. On the virtual radio only.
  ///
  /// - Throws: `StoryFailure.refused` with the phone's error if any value is refused, `notConnected`,
  ///   `noCharacteristic`, `linkLost` or `timedOut`.
  public func write(
    _ values: [(characteristic: BluetoothUUID, value: [UInt8])]
  ) async throws(StoryFailure) {
    var found: [(characteristic: DiscoveredCharacteristic, value: [UInt8])] = []
    for (characteristic, value) in values { found.append((try find(characteristic), value)) }
    let writes = found
    try await use { (radio, phone) async throws(StoryFailure) in try await radio.write(writes, of: phone) }
  }

  /// Subscribes to notifications of a characteristic, or to indications if it has no notifications.
  ///
  /// - Throws: `StoryFailure.notConnected`, `noCharacteristic`, `refused` with the phone's error, `linkLost` or
  ///   `timedOut`.
  public func subscribe(to characteristic: BluetoothUUID) async throws(StoryFailure) {
    try await setNotifying(true, characteristic)
  }

  /// Ends a subscription.
  ///
  /// - Throws: `StoryFailure.notConnected`, `noCharacteristic`, `refused` with the phone's error, `linkLost` or
  ///   `timedOut`.
  public func unsubscribe(from characteristic: BluetoothUUID) async throws(StoryFailure) {
    try await setNotifying(false, characteristic)
  }

  private func setNotifying(_ isOn: Bool, _ characteristic: BluetoothUUID) async throws(StoryFailure) {
    let found = try find(characteristic)
    try await use { (radio, phone) async throws(StoryFailure) in
      try await radio.setNotifying(isOn, found, of: phone)
    }
  }

  /// The next value of the characteristic; nil if none arrives within that time.
  public func receives(
    from characteristic: BluetoothUUID, within limit: Duration
  ) async throws(StoryFailure) -> [UInt8]? {
    let (id, phone) = (try find(characteristic).id, state.withLock { $0.phone })
    let result = try? await air.finish(within: limit) { [received] in
      await received.next(discardingOthers: false) { $0.id == id && $0.phone == phone ? $0.value : nil }
    }
    return result.flatMap { $0 }
  }

  private func find(_ characteristic: BluetoothUUID) throws(StoryFailure) -> DiscoveredCharacteristic {
    guard let phone = state.withLock({ $0.phone }) else { throw .notConnected }
    let all = withRadio({ $0.characteristics(of: phone) }, otherwise: [])
    guard let found = all.first(where: { $0.uuid == characteristic }) else {
      throw isConnected ? .noCharacteristic(characteristic) : .notConnected
    }
    return found
  }

  func use<Value: Sendable>(
    _ limit: Duration = transactionTimeout,
    _ body: @escaping @Sendable (any CentralRadio, String) async throws(StoryFailure) -> Value
  ) async throws(StoryFailure) -> Value {
    guard let radio, let phone = state.withLock({ $0.phone }) else { throw .notConnected }
    do {
      return try await air.finish(within: limit) { try await body(radio, phone) }
    } catch {
      // After a timeout, ATT permits no further requests over that link.
      if case .timedOut(let limit) = error {
        air.note(name, "gets no response within \(limit), and disconnects")
        await disconnect()
      }
      throw error
    }
  }
}
