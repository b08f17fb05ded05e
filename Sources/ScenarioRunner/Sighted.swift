package import GATT
import Profile
import Scenario

/// What a central makes of one advertising event.
package struct Sighted: Hashable, Sendable {
  /// The scenario's phone that it comes from; nil for somebody else's.
  package var phone: String?
  package var address: String
  package var localName: String?
  package var serviceUUIDs: [BluetoothUUID]
  /// Nil without one, and of an iPhone's app, which is not shown it.
  package var overflow: OverflowArea?
  /// Of an iPhone's app: those that it has asked for, by their bits.
  package var overflowUUIDs: [BluetoothUUID]

  package init(
    phone: String?, address: String, localName: String?, serviceUUIDs: [BluetoothUUID], overflow: OverflowArea?,
    overflowUUIDs: [BluetoothUUID]
  ) {
    self.phone = phone
    self.address = address
    self.localName = localName
    self.serviceUUIDs = serviceUUIDs
    self.overflow = overflow
    self.overflowUUIDs = overflowUUIDs
  }

  /// Whether the UUID's bit is set, as far as this central can see.
  private func overflows(_ uuid: BluetoothUUID) -> Bool {
    overflowUUIDs.contains(uuid) || overflow?.contains(uuid) == true
  }

  func passes(_ filter: Scenario.Filter) -> Bool {
    (filter.localName.map { $0 == localName } ?? true)
      && (filter.serviceUUID.map { serviceUUIDs.contains($0) } ?? true)
      && (filter.overflowUUID.map { overflows($0) } ?? true)
      && (filter.overflowMask.map { overflow == OverflowArea($0) } ?? true)
      && (filter.phone.map { $0 == phone } ?? true)
  }

  /// How it differs from what is expected, `expected no local name` and so on; empty where it does not.
  func differences(from sighting: Scenario.Sighting) -> [String] {
    var differences: [String] = []
    if let expected = sighting.phone, expected != phone { differences.append("expected the phone \(expected)") }
    switch sighting.localName {
    case nil: break
    case .absent: if localName != nil { differences.append("expected no local name") }
    case .exactly(let name): if localName != name { differences.append("expected the local name \(Quote.text(name))") }
    }
    if let expected = sighting.serviceUUIDs {
      if expected.isEmpty, !serviceUUIDs.isEmpty { differences.append("expected no service UUIDs") }
      let missing = expected.filter { !serviceUUIDs.contains($0) }
      if !missing.isEmpty { differences.append("expected the service UUIDs \(expected.text)") }
    }
    if let expected = sighting.overflowUUIDs {
      if expected.isEmpty, overflow.map({ !$0.isEmpty }) ?? !overflowUUIDs.isEmpty {
        differences.append("expected no overflow area")
      }
      if !expected.allSatisfy(overflows) { differences.append("expected \(expected.text) in the overflow area") }
    }
    return differences
  }

  /// `phone with no local name, no service UUIDs, bit 61 of the overflow area`.
  var text: String {
    var parts = [
      localName.map { "the local name \(Quote.text($0))" } ?? "no local name",
      serviceUUIDs.isEmpty ? "no service UUIDs" : "the service UUIDs \(serviceUUIDs.text)",
    ]
    if let bits = overflow?.bits, !bits.isEmpty {
      parts.append("the overflow bit\(bits.count == 1 ? "" : "s") \(Quote.list(bits.map { "\($0)" }, "and"))")
    } else if !overflowUUIDs.isEmpty {
      parts.append("\(overflowUUIDs.text) in the overflow area")
    }
    return "\(phone ?? address) with " + Quote.list(parts, "and")
  }
}
