import EventLoop
public import GATT
import SimulatedRadio
import Synchronization
import VirtualBlueZ

/// A central on an air.
public final class Central: Sendable {
  public let name: String
  /// `00:AA:01:00:00:01`; apps know the central by it.
  public let address: String
  private let air: Air
  private let radio: SimulatedCentral
  private let seen = Inbox<AdvertisementReport>()
  private let news = Inbox<SimulatedCentral.Event>()
  private let phone = Mutex<DeviceAddress?>(nil)

  public init(on air: Air, named name: String = "central") {
    self.air = air
    self.name = name
    let (seen, news) = (seen, news)
    let received = Inbox<(AttributeHandle, [UInt8])>()
    self.received = received
    let adapter = air.loop.perform { air.radio.assumeIsolated { $0.addAdapter(named: name) } }
    radio = SimulatedCentral(air: air.radio, adapter: adapter) { [weak air] event in
      switch event {
      case .heard(let report): seen.put(report)
      case .value(_, let handle, let value):
        air?.note(name, "receives \(handle)  \(Hex.string(value, separator: " "))")
        received.put((handle, value))
      case .connected(let phone): air?.note(name, "connected to \(phone)")
      case .disconnected(let phone): air?.note(name, "disconnected from \(phone)")
      case .services: news.put(event)
      }
    }
    address = air.loop.perform { air.radio.assumeIsolated { $0.address(of: adapter) } }.map { "\($0)" } ?? ""
    air.loop.perform { radio.assumeIsolated { $0.start() } }
    air.centrals.withLock { $0[address] = self }
  }

  private let received: Inbox<(AttributeHandle, [UInt8])>

  /// Scans until it hears what it looks for; false where it does not within that time.
  public func discovers(_ what: Discovery, within limit: Duration) async -> Bool {
    let result = try? await air.finish(within: limit) { [radio, seen] in
      seen.empty()
      await radio.scan(ScanWindow())
      return await seen.first { report in
        what.matches(AdvertisingData(leniently: report.data + report.scanResponse).structures) ? true : nil
      }
    }
    air.loop.perform { radio.assumeIsolated { $0.scan(nil) } }
    let isFound = result == .some(true)
    air.note(name, "\(isFound ? "discovers" : "does not discover") \(what)")
    return isFound
  }

  /// Connects, however long the phone takes to advertise, and finds its services.
  public func connect(to phone: Phone, within limit: Duration = .seconds(60)) async throws {
    let address = phone.address
    self.phone.withLock { $0 = address }
    try await air.finish(within: limit) { [radio, news] in
      news.empty()
      await radio.connect(to: address)
      _ = await news.first { $0 == .services(address) ? true : nil }
    }
  }

  public func disconnect() {
    guard let phone = phone.withLock({ $0 }) else { return }
    air.loop.perform { radio.assumeIsolated { $0.disconnect(from: phone) } }
  }

  public var isConnected: Bool {
    guard let phone = phone.withLock({ $0 }) else { return false }
    return air.loop.perform { radio.assumeIsolated { $0.isConnected(to: phone) } }
  }

  public func read(_ characteristic: BluetoothUUID) async throws -> [UInt8] {
    try await perform { .read(try find(characteristic).value, offset: 0) }
  }

  public func write(_ value: [UInt8], to characteristic: BluetoothUUID) async throws {
    _ = try await perform { .write(try find(characteristic).value, value, offset: 0, isReliable: false) }
  }

  public func subscribe(to characteristic: BluetoothUUID) async throws { try await configure(characteristic, 1) }

  public func unsubscribe(from characteristic: BluetoothUUID) async throws { try await configure(characteristic, 0) }

  /// The next value of the characteristic that arrives; nil where none does within that time.
  public func receives(from characteristic: BluetoothUUID, within limit: Duration) async throws -> [UInt8]? {
    let handle = try find(characteristic).value
    return try? await air.finish(within: limit) { [received] in
      await received.first { $0.0 == handle ? $0.1 : nil }
    }
  }

  private func configure(_ characteristic: BluetoothUUID, _ bits: UInt8) async throws {
    let found = try find(characteristic)
    guard let descriptor = found.clientConfiguration else { throw StoryFailure.refused(.requestNotSupported) }
    let isIndication = found.properties & 0x10 == 0
    _ = try await perform {
      .write(descriptor, [isIndication ? bits * 2 : bits, 0], offset: 0, isReliable: false)
    }
  }

  private func find(_ characteristic: BluetoothUUID) throws -> RemoteCharacteristic {
    guard let phone = phone.withLock({ $0 }) else { throw StoryFailure.notConnected }
    let services = air.loop.perform { radio.assumeIsolated { $0.services(of: phone) } }
    guard let found = services.flatMap(\.characteristics).first(where: { $0.uuid == characteristic }) else {
      throw services.isEmpty ? StoryFailure.notConnected : .noCharacteristic(characteristic)
    }
    return found
  }

  /// ATT gives up after 30 s (Core Specification, Vol 3, Part F, 3.3.3).
  private static let transactionTimeout = Duration.seconds(30)

  private func perform(_ operation: () throws -> ClientOperation) async throws -> [UInt8] {
    guard let phone = phone.withLock({ $0 }) else { throw StoryFailure.notConnected }
    let operation = try operation()
    do {
      return try await air.finish(within: Self.transactionTimeout) { [radio] in
        try await radio.perform(operation, at: phone)
      }
    } catch ClientFailure.att(let error) {
      throw StoryFailure.refused(error)
    } catch is ClientFailure {
      throw StoryFailure.notConnected
    }
  }
}

extension Central: Hashable {
  public static func == (left: Central, right: Central) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Central: CustomStringConvertible {
  public var description: String { name }
}
