package import GATT

extension FoundDevice.Advertised {
  /// All of it as one packet: bluetoothd does not tell an advertisement from its scan response.
  package var packet: AdvertisingData {
    var structures: [ADStructure] = UUIDList.lists(of: serviceUUIDs).map { .serviceUUIDs($0, complete: true) }
    if let name { structures.append(.completeLocalName(name)) }
    structures += manufacturerData.sorted { $0.key < $1.key }
      .map { .manufacturerData(companyIdentifier: $0.key, data: $0.value) }
    structures += serviceData.sorted { "\($0.key)" < "\($1.key)" }.map { .serviceData($0.key, data: $0.value) }
    if let appearance { structures.append(.appearance(appearance)) }
    if let txPower, let level = Int8(exactly: txPower) { structures.append(.txPowerLevel(level)) }
    return AdvertisingData(structures)
  }

  package var overflowArea: OverflowArea? {
    let areas = packet.structures.compactMap { OverflowArea($0) }
    return areas.isEmpty ? nil : areas.reduce(OverflowArea()) { $0.union($1) }
  }

  /// Whether it looks like an app in the background, which has no name on the air: bluetoothd keeps each name that it
  /// has heard in a file, and tells it of the device ever after.
  package var isNameDoubtful: Bool { name != nil && serviceUUIDs.isEmpty && overflowArea != nil }

  /// What bluetoothd makes of it and of what was said before: it takes nothing back.
  package func added(to past: Self) -> Self {
    var sum = past
    sum.name = name ?? past.name
    sum.serviceUUIDs += serviceUUIDs.filter { !past.serviceUUIDs.contains($0) }
    sum.manufacturerData.merge(manufacturerData) { $1 }
    sum.serviceData.merge(serviceData) { $1 }
    sum.appearance = appearance ?? past.appearance
    sum.txPower = txPower ?? past.txPower
    return sum
  }
}
