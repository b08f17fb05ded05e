import BleperaBluetooth
import BleperaRules

/// What is in which place of a phone's advertisements, from those that have room for all.
struct ContentTally: Hashable, Sendable {
  private(set) var layouts = Tally<String>()
  private var powers = Tally<Int?>()
  private var places = Tally<TXPowerPlace>()
  private var items = Tally<[UInt8]>()
  private var samples: [[UInt8]: [AppleItem]] = [:]

  mutating func add(_ content: PhoneContent, hasItems: Bool = true) {
    guard content.kind == .own || content.kind == .background else { return }
    powers.add(content.transmitPower?.level)
    if let power = content.transmitPower { places.add(power.isLast ? .last : .afterFlags) }
    guard hasItems else { return }
    let heads = content.items.flatMap { $0.bytes.prefix(2) }
    items.add(heads)
    samples[heads] = content.items
  }

  /// - Parameter packets: that had the content.
  mutating func addLayout(_ content: PhoneContent, _ packets: Int = 1) {
    guard !content.structures.isEmpty else { return }
    layouts.add("\(content.kind): \(content.layout)", packets)
  }

  var measurements: [Measurement] {
    var found: [Measurement] = []
    if let power = powers.most {
      found.append(
        Measurement("txPowerLevel", power.value.map { .number($0) } ?? .none, packets: power.count))
    }
    if let place = places.most {
      found.append(Measurement("txPowerPlace", .word(place.value.rawValue), packets: place.count))
    }
    if let heads = items.most, let sample = samples[heads.value] {
      found.append(
        Measurement("backgroundAppleItems", .list(sample.map { .bytes($0.bytes) }), packets: heads.count))
    }
    return found
  }
}
