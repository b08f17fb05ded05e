import BleperaBluetooth
import BleperaPropertyLists
import Synchronization

extension ScenarioRunner {
  /// Scans until a discovery matches the filter and the expectation; differing discoveries do not end the scan.
  ///
  /// - Returns: How the outcome differs from the expectation; nil if equal.
  mutating func scan(
    _ central: Central, _ filter: Scenario.Filter, within limit: Duration, _ expected: Scenario.ScanExpectation
  ) async throws(StoryFailure) -> String? {
    let collector = ScanCollector(filter, devices)
    let found = await central.discover(scanningFor: filter.services ?? [], within: limit) { peripheral in
      let discovery = collector.discovery(peripheral)
      return collector.collect(discovery) && (!expected.isExpected || discovery.differences(from: expected).isEmpty)
    }
    let (match, others) = collector.result
    if let match {
      discovered[central.name] = match.phone.flatMap { devices[$0] } ?? OutsideDevice(name: match.peripheral.address)
    }
    guard expected.isExpected else {
      return found == nil ? nil : match.map { "found \($0.text); expected not to find it" }
    }
    guard found == nil else { return nil }
    if let match {
      return "found \(match.text); \(match.differences(from: expected).joined(separator: ", "))"
    }
    let text = others.isEmpty ? "found nothing" : "found " + others.map(\.text).joined(separator: "; ")
    return "\(text); expected to find \(filter.text) within \(limit.text)"
  }
}

/// The discoveries of one scan, the latest for each phone.
private final class ScanCollector: Sendable {
  private struct State {
    /// The discovery that passes the filter.
    var match: PhoneDiscovery?
    /// The other discoveries, by identity address, or by address for any other device.
    var others: [String: PhoneDiscovery] = [:]
    /// The devices of the scenario by the addresses so far; nil for any other.
    var names: [String: String?] = [:]
  }

  private let filter: Scenario.Filter
  private let devices: [String: any AirDevice]
  private let state = Mutex(State())

  init(_ filter: Scenario.Filter, _ devices: [String: any AirDevice]) {
    self.filter = filter
    self.devices = devices
  }

  func discovery(_ peripheral: DiscoveredPeripheral) -> PhoneDiscovery {
    let address = peripheral.address
    if let name = state.withLock({ $0.names[address] }) { return PhoneDiscovery(phone: name, peripheral: peripheral) }
    let name = devices.first { $0.value.hasUsed(address) }?.key
    state.withLock { $0.names[address] = .some(name) }
    return PhoneDiscovery(phone: name, peripheral: peripheral)
  }

  /// - Returns: Whether the discovery passes the filter.
  func collect(_ discovery: PhoneDiscovery) -> Bool {
    let isMatch = discovery.passes(filter)
    let identity = discovery.phone.flatMap { devices[$0]?.identityAddress } ?? discovery.peripheral.address
    state.withLock { if isMatch { $0.match = discovery } else { $0.others[identity] = discovery } }
    return isMatch
  }

  var result: (match: PhoneDiscovery?, others: [PhoneDiscovery]) {
    state.withLock { ($0.match, $0.others.sorted { $0.key < $1.key }.map(\.value)) }
  }
}

/// A discovery of a central and its phone.
private struct PhoneDiscovery: Sendable {
  /// The scenario's phone or accessory; nil for any other device.
  let phone: String?
  let peripheral: DiscoveredPeripheral

  func passes(_ filter: Scenario.Filter) -> Bool {
    (filter.localName.map { $0 == peripheral.localName } ?? true)
      && (filter.serviceUUID.map { peripheral.serviceUUIDs.contains($0) } ?? true)
      && (filter.overflowUUID.map { peripheral.hasOverflowBit(of: $0) } ?? true)
      && (filter.overflowMask.map { peripheral.overflowArea == OverflowArea($0) } ?? true)
      && (filter.phone.map { $0 == phone } ?? true)
      && (filter.isNearbyInfo ? peripheral.hasNearbyInfo : !peripheral.isWithoutApp)
  }

  /// The differences from the expectation: `expected no local name` and so on.
  func differences(from expectation: Scenario.ScanExpectation) -> [String] {
    var differences: [String] = []
    if let expected = expectation.phone, expected != phone { differences.append("expected the phone \(expected)") }
    switch expectation.localName {
    case nil: break
    case .absent: if peripheral.localName != nil { differences.append("expected no local name") }
    case .exactly(let name):
      if peripheral.localName != name { differences.append("expected the local name \(Quote.text(name))") }
    }
    if let expected = expectation.serviceUUIDs {
      if expected.isEmpty, !peripheral.serviceUUIDs.isEmpty { differences.append("expected no service UUIDs") }
      let missing = expected.filter { !peripheral.serviceUUIDs.contains($0) }
      if !missing.isEmpty { differences.append("expected the service UUIDs \(expected.text)") }
    }
    if let expected = expectation.overflowUUIDs {
      let isEmpty = peripheral.overflowArea?.isEmpty ?? peripheral.overflowServiceUUIDs.isEmpty
      if expected.isEmpty, !isEmpty { differences.append("expected no overflow area") }
      if !expected.allSatisfy(peripheral.hasOverflowBit) {
        differences.append("expected \(expected.text) in the overflow area")
      }
    }
    return differences
  }

  /// `phone with no local name, no service UUIDs and the overflow bit 61`.
  var text: String {
    guard !peripheral.isWithoutApp else { return "\(phone ?? peripheral.address) without an app's advertisement" }
    let uuids = peripheral.serviceUUIDs
    var parts = [
      peripheral.localName.map { "the local name \(Quote.text($0))" } ?? "no local name",
      uuids.isEmpty ? "no service UUIDs" : "the service UUIDs \(uuids.text)",
    ]
    if let bits = peripheral.overflowArea?.bits, !bits.isEmpty {
      parts.append("the overflow bit\(bits.count == 1 ? "" : "s") \(Quote.list(bits.map { "\($0)" }, "and"))")
    } else if !peripheral.overflowServiceUUIDs.isEmpty {
      parts.append("\(peripheral.overflowServiceUUIDs.text) in the overflow area")
    }
    return "\(phone ?? peripheral.address) with " + Quote.list(parts, "and")
  }
}
