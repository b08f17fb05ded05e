import BleperaAir
import BleperaBluetooth
import BleperaHost

/// A central that connects to a phone, discovers it and leaves, again and again.
struct Discovery {
  /// The number of services; each has four characteristics, one of which notifies.
  var services = 10
  var count = 500

  private static let (phone, central) = (AdapterID(0), AdapterID(1))
  private static let address = DeviceAddress(bits: 1)

  /// - Returns: how often all services were discovered.
  func run() -> Int {
    var air = VirtualAir(seed: 1)
    var now = Duration.zero
    var resolved: [ConnectionID] = []
    func send(_ event: AirEvent) {
      for case .host(_, .servicesResolved(let link)) in air.handle(event, at: now) { resolved.append(link) }
    }
    send(.added(Self.phone, AdapterDescription(address: Self.address, name: "phone", mtu: ATTMTU.iPhone)))
    send(.added(Self.central, AdapterDescription(address: DeviceAddress(bits: 2), name: "central")))
    for number in 0..<services {
      let characteristics = (0..<4).map { index in
        PublishedCharacteristic(
          index: index, uuid: BluetoothUUID(0x2A00 + UInt16(number * 4 + index)), flags: index == 0 ? .notify : .read)
      }
      let service = PublishedService(
        uuid: BluetoothUUID(0x1810 + UInt16(number)),
        handle: .exactly(AttributeHandle(rawValue: UInt16(0x100 + number * 0x10))),
        characteristics: characteristics)
      send(.host(Self.phone, .publish(ApplicationID(number), [service])))
    }
    let packets = AdvertisingPackets(data: [], interval: .milliseconds(181))
    for number in 1...count {
      // A connection ends the advertisement.
      send(.linkLayer(Self.phone, .advertise(AdvertisementID(number), packets)))
      send(.linkLayer(Self.central, .connect(Self.address)))
      while resolved.count < number, let deadline = air.nextDeadline {
        now = max(now, deadline)
        send(.tick)
      }
      send(.host(Self.central, .disconnect(resolved[number - 1])))
      while !air.connections.isEmpty, let deadline = air.nextDeadline {
        now = max(now, deadline)
        send(.tick)
      }
    }
    return air.connections.isEmpty ? resolved.count : 0
  }
}
