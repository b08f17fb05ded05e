import EventLoop
public import GATT
import Policy
import Synchronization

extension Central {
  /// ATT gives up after 30 s (Core Specification, Vol 3, Part F, 3.3.3).
  private static let transactionTimeout = Duration.seconds(30)
  /// The Security Manager allows 30 s for each step (Core Specification, Vol 3, Part H, 3.4).
  private static let pairingTimeout = Duration.seconds(90)

  // MARK: Connections

  /// Connects, however long the phone takes to advertise, and finds its services. Where that takes longer than the limit
  /// the attempt goes on, and the next call waits for it again.
  public func connect(to phone: Phone, within limit: Duration = .seconds(60)) async throws {
    try await connect(to: phone.address, limit)
  }

  /// The same, with a phone that it has discovered.
  public func connect(to phone: Discovered, within limit: Duration = .seconds(60)) async throws {
    try await connect(to: phone.address, limit)
  }

  private func connect(to phone: String, _ limit: Duration) async throws {
    guard let radio else { throw StoryFailure.notConnected }
    state.withLock { $0.phone = phone }
    try await air.finish(within: limit) { [self] in
      if await radio.isConnected(to: phone), await !radio.services(of: phone).isEmpty { return }
      news.empty()
      await radio.run { [self] radio in
        if state.withLock({ $0.ios == nil }) {
          radio.connect(to: phone)
        } else {
          feed(.connect(PeripheralID(rawValue: phone)))
        }
      }
      guard await news.first({ $0 == .services(phone) ? true : nil }) == true else { throw CancellationError() }
    }
  }

  /// Ends the connection, or the attempt at one.
  public func disconnect() async {
    guard let radio, let phone = state.withLock({ $0.phone }) else { return }
    _ = try? await air.finish(within: Self.transactionTimeout) { [self] in
      await radio.run { [self] _ in feed(.cancelConnection(PeripheralID(rawValue: phone))) }
      await radio.disconnect(from: phone)
    }
  }

  public var isConnected: Bool {
    guard let phone = state.withLock({ $0.phone }) else { return false }
    return withRadio({ $0.isConnected(to: phone) }, otherwise: false)
  }

  /// Whether the connection is gone within that time.
  public func isDisconnected(within limit: Duration) async -> Bool {
    guard let radio, let phone = state.withLock({ $0.phone }) else { return true }
    let result = try? await air.finish(within: limit) { [news] in
      while await radio.isConnected(to: phone) {
        guard await news.first({ $0 == .disconnected(phone) ? true : nil }) == true else { return false }
      }
      return true
    }
    return result == true
  }

  /// Pairs by just works.
  public func pair() async throws {
    try await use(Self.pairingTimeout) { radio, phone in try await radio.pair(with: phone) }
  }

  // MARK: Attributes

  /// The UUIDs of the phone's services that it has found.
  public var services: [BluetoothUUID] {
    guard let phone = state.withLock({ $0.phone }) else { return [] }
    return withRadio({ $0.services(of: phone) }, otherwise: [])
  }

  /// Of the phone that it is connected to.
  package var connectedAddress: String? { isConnected ? state.withLock { $0.phone } : nil }

  public func read(_ characteristic: BluetoothUUID) async throws -> [UInt8] {
    let found = try find(characteristic)
    return try await use { radio, phone in try await radio.read(found.id, of: phone) }
  }

  public func write(
    _ value: [UInt8], to characteristic: BluetoothUUID, withResponse: Bool = true
  ) async throws {
    let found = try find(characteristic)
    try await use { radio, phone in
      try await radio.write(value, to: found.id, of: phone, withResponse: withResponse)
    }
  }

  public func subscribe(to characteristic: BluetoothUUID) async throws { try await notify(characteristic, true) }

  public func unsubscribe(from characteristic: BluetoothUUID) async throws { try await notify(characteristic, false) }

  private func notify(_ characteristic: BluetoothUUID, _ isOn: Bool) async throws {
    let found = try find(characteristic)
    try await use { radio, phone in try await radio.setNotifying(isOn, found, of: phone) }
  }

  /// The next value of the characteristic that arrives; nil where none does within that time.
  public func receives(from characteristic: BluetoothUUID, within limit: Duration) async throws -> [UInt8]? {
    let (id, phone) = (try find(characteristic).id, state.withLock { $0.phone })
    let result = try? await air.finish(within: limit) { [received] in
      await received.first(keepsOthers: true) { $0.id == id && $0.phone == phone ? $0.value : nil }
    }
    return result.flatMap { $0 }
  }

  private func find(_ characteristic: BluetoothUUID) throws -> FoundAttribute {
    guard let phone = state.withLock({ $0.phone }) else { throw StoryFailure.notConnected }
    let all = withRadio({ $0.characteristics(of: phone) }, otherwise: [])
    guard let found = all.first(where: { $0.uuid == characteristic }) else {
      throw isConnected ? StoryFailure.noCharacteristic(characteristic) : .notConnected
    }
    return found
  }

  private func use<Value: Sendable>(
    _ limit: Duration = transactionTimeout,
    _ body: @escaping @Sendable (any CentralRadio, String) async throws -> Value
  ) async throws -> Value {
    guard let radio, let phone = state.withLock({ $0.phone }) else { throw StoryFailure.notConnected }
    do {
      return try await air.finish(within: limit) { try await body(radio, phone) }
    } catch StoryFailure.tooLate(let limit) {
      // Nothing more may be asked over that link.
      air.note(name, "has waited for \(limit), and leaves")
      await disconnect()
      throw StoryFailure.tooLate(limit)
    }
  }
}
