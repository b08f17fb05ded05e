import BleperaBluetooth

/// The parts that a phone discovers for its apps, and for itself.
extension ServiceDiscovery {
  enum Part: Hashable, Sendable {
    /// The primary services, with the attributes of Generic Attribute and Generic Access that a phone needs to
    /// subscribe to Service Changed and to read the Device Name.
    case services
    /// Service Changed and the Device Name alone, because the services are known from an earlier connection.
    case knownServices([RemoteService])
    case includedServices(ClosedRange<AttributeHandle>)
    case characteristics(ClosedRange<AttributeHandle>)
    case descriptors(ClosedRange<AttributeHandle>)
  }

  init(_ part: Part) {
    switch part {
    case .services: self.init(part, from: .services(isPrimary: true), in: [Self.everything])
    case .knownServices(let services):
      self.init(part, from: .descriptors, in: [])
      self.services = services.map { ($0.range, $0.uuid, $0.isPrimary) }
      characteristics = services.flatMap(\.characteristics)
      descriptors = characteristics.flatMap(\.descriptors)
    case .includedServices(let range): self.init(part, from: .includes, in: [range])
    case .characteristics(let range): self.init(part, from: .characteristics, in: [range])
    case .descriptors(let range): self.init(part, from: .descriptors, in: [range])
    }
  }

  var result: ClientTask.Step {
    switch part {
    case .services, nil: .discovered(remoteServices, name: name, in: range)
    case .knownServices(let services): .discovered(services, name: name, in: nil)
    case .includedServices: .finish(.success(.services(includedServices)))
    case .characteristics: .finish(.success(.characteristics(characteristics)))
    case .descriptors: .finish(.success(.descriptors(descriptors)))
    }
  }

  mutating func beginNext(of part: Part) {
    switch (part, phase) {
    case (.services, .services):
      let system = [AttributeTypes.genericAttribute, AttributeTypes.genericAccess]
      begin(.characteristics, system.flatMap { uuid in services.filter { $0.uuid == uuid }.map(\.range) })
    case (.services, .characteristics): begin(.descriptors, [changedRange].compactMap(\.self))
    case (.services, .descriptors), (.knownServices, .descriptors):
      begin(.subscription, subscription.map { [$0...$0] } ?? [])
    case (.services, .subscription), (.knownServices, .subscription):
      begin(.name, nameHandle.map { [$0...$0] } ?? [])
    case (.services, _), (.knownServices, _), (.includedServices, _), (.characteristics, _), (.descriptors, _):
      phase = .end
    }
  }

  /// The included services that were found, without those whose UUID cannot be read.
  private var includedServices: [RemoteService] {
    includes.compactMap { _, range, uuid in
      (uuid ?? values[range.lowerBound].flatMap { BluetoothUUID(littleEndian: $0) }).map {
        RemoteService(range: range, uuid: $0, isPrimary: false)
      }
    }
  }
}
