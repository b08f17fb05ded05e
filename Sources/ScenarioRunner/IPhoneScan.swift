import GATT
import Policy
import Scenario
import Synchronization

/// The scan of an app on an iPhone: what its system tells it of what is on the air.
final class IPhoneScan: Sendable {
  private let core: Mutex<IOSCentral>

  init(_ central: Scenario.Central, _ services: [BluetoothUUID], at now: Duration) {
    var core = IOSCentral(
      RuleSet(central.ios), isInFront: central.place == .foreground, isScreenOn: central.place != .screenOff,
      leavesOut: true)
    _ = core.handle(.scan(ScanRequest(services: services, allowsDuplicates: true)), at: now)
    self.core = Mutex(core)
  }

  func discoveries(_ heard: HeardAdvertisement, _ address: String, at now: Duration) -> [Discovery] {
    core.withLock { core in
      core.handle(.heard(PeripheralID(rawValue: address), heard), at: now).compactMap { action in
        if case .discovered(_, let discovery) = action { discovery } else { nil }
      }
    }
  }
}

extension Sighted {
  /// As an app on an iPhone is told.
  init(_ discovery: Discovery, _ phone: String?, _ address: String) {
    self.init(
      phone: phone, address: address, localName: discovery.localName, serviceUUIDs: discovery.serviceUUIDs,
      overflow: nil, overflowUUIDs: discovery.overflowServiceUUIDs.map(\.uuid))
  }

  /// As it is on the air.
  init(_ heard: HeardAdvertisement, _ phone: String?, _ address: String) {
    self.init(phone: phone, address: address, localName: nil, serviceUUIDs: [], overflow: nil, overflowUUIDs: [])
    for structure in heard.advertisement.structures + (heard.scanResponse?.structures ?? []) {
      switch structure {
      case .completeLocalName(let name), .shortenedLocalName(let name): localName = name
      case .serviceUUIDs(let list, _): serviceUUIDs += list.uuids.filter { !serviceUUIDs.contains($0) }
      case .manufacturerData:
        if let area = OverflowArea(structure) { overflow = area.union(overflow ?? OverflowArea()) }
      case .flags, .txPowerLevel, .serviceSolicitation, .serviceData, .appearance, .other: break
      }
    }
  }
}
