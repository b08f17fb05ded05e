import BleperaDBus

/// What is on the air now, of what a central hears one advertisement after the other.
///
/// It wants each advertisement by itself: bluetoothd forgets the device after each, because it adds what the next says to
/// what it knows already.
package struct AirWatch: Hashable, Sendable {
  package enum Finding: Hashable, Sendable {
    /// A content that was not on the air before.
    case heard(FoundDevice)
    /// How often a content is heard, some advertisements after it was told.
    case paced(FoundDevice, every: Duration)
    /// Nothing of that device is on the air any more.
    case silent(FoundDevice)
  }

  private struct Sighting: Hashable {
    var device: FoundDevice
    /// When it was heard, or had last to be taken for there.
    var last: Duration
    /// Whether the time since `last` is a gap between two advertisements.
    var isGap = true
    /// How often others of the same device have been heard since.
    var others = 0
    var gaps: [Duration] = []
    var interval: Duration?

    mutating func renew(at now: Duration, isGap: Bool) {
      (last, self.isGap, others) = (now, isGap, 0)
    }
  }

  /// How many gaps make an interval.
  private static let wantedGaps = 4
  /// A gap that is so much longer than the shortest has a lost advertisement in it.
  private static let longestGap = 1.5
  /// So many intervals without it, or advertisements of the same device with another content, and a content is gone.
  private static let intervals = 4
  private static let patienceWithOthers = 4
  /// Where the interval is not known: four of those that bluetoothd takes where it heeds none.
  private static let patienceWithoutInterval = Duration.milliseconds(5_200)
  /// Silence is told no earlier, however short the interval.
  private static let shortestSilence = Duration.seconds(2)

  private var sightings: [ObjectPath: [Sighting]] = [:]
  /// What was told last of each device.
  private var told: [ObjectPath: FoundDevice.Advertised] = [:]

  /// How long each content may be unheard before it is gone, where advertisements do not come one by one and their
  /// intervals are nobody's; nil to go by intervals.
  private let patience: Duration?

  package init(patience: Duration? = nil) { self.patience = patience }

  /// When `check` may have something to tell; nil while nothing is on the air.
  package var deadline: Duration? {
    sightings.values.compactMap { $0.map(silence).max() }.min()
  }

  /// The devices that are on the air.
  package var present: [FoundDevice] {
    sightings.sorted { $0.key < $1.key }.compactMap { $0.value.max { $0.last < $1.last }?.device }
  }

  /// An advertisement of the device, and nothing else, is what is known of it.
  package mutating func heard(_ device: FoundDevice, at now: Duration) -> [Finding] {
    var known = sightings[device.path] ?? []
    for index in known.indices where known[index].device.advertised != device.advertised { known[index].others += 1 }
    known.removeAll { isGone($0, at: now) && $0.device.advertised != device.advertised }
    defer { sightings[device.path] = known }
    guard let index = known.firstIndex(where: { $0.device.advertised == device.advertised }),
      !isGone(known[index], at: now)
    else {
      known.removeAll { $0.device.advertised == device.advertised }
      known.append(Sighting(device: device, last: now))
      told[device.path] = device.advertised
      return [.heard(device)]
    }
    // What was told last has gone again, and this one is there as before.
    let isBack = !known.contains { $0.device.advertised == told[device.path] }
    if isBack { told[device.path] = device.advertised }
    let findings: [Finding] = isBack ? [.heard(device)] : []
    let (gap, isGap) = (now - known[index].last, known[index].isGap)
    known[index].renew(at: now, isGap: true)
    guard patience == nil, isGap, known[index].interval == nil else { return findings }
    known[index].gaps.append(gap)
    guard known[index].gaps.count == Self.wantedGaps, let shortest = known[index].gaps.min() else { return findings }
    let whole = known[index].gaps.filter { $0 <= shortest * Self.longestGap }
    let interval = whole.reduce(.zero, +) / whole.count
    known[index].interval = interval
    return findings + [.paced(device, every: interval)]
  }

  /// Something else has been heard before the device was forgotten: it is known with both. What is among that and known
  /// already is still there.
  package mutating func heardMore(_ device: FoundDevice, at now: Duration) {
    sightings[device.path] = sightings[device.path]?.map { sighting in
      guard sighting.device.advertised.isPart(of: device.advertised) else { return sighting }
      var sighting = sighting
      sighting.renew(at: now, isGap: false)
      return sighting
    }
  }

  /// What has fallen silent.
  package mutating func check(at now: Duration) -> [Finding] {
    var findings: [Finding] = []
    for (path, known) in sightings.sorted(by: { $0.key < $1.key }) {
      guard let last = known.max(by: { $0.last < $1.last }), let end = known.map(silence).max(), end <= now else {
        continue
      }
      sightings[path] = nil
      findings.append(.silent(last.device))
    }
    return findings
  }

  /// After a time in which nobody listened: nothing has changed in it as far as we know.
  package mutating func resume(at now: Duration) {
    sightings = sightings.mapValues { known in
      known.map { sighting in
        var sighting = sighting
        sighting.renew(at: now, isGap: false)
        return sighting
      }
    }
  }

  private func isGone(_ sighting: Sighting, at now: Duration) -> Bool {
    sighting.others >= Self.patienceWithOthers || now - sighting.last >= patience(with: sighting)
  }

  private func silence(_ sighting: Sighting) -> Duration {
    sighting.last + max(patience(with: sighting), Self.shortestSilence)
  }

  private func patience(with sighting: Sighting) -> Duration {
    patience ?? sighting.interval.map { $0 * Self.intervals } ?? Self.patienceWithoutInterval
  }
}

extension FoundDevice.Advertised {
  /// Whether the other says all of it.
  func isPart(of other: Self) -> Bool {
    (name == nil || name == other.name) && (appearance == nil || appearance == other.appearance)
      && (txPower == nil || txPower == other.txPower)
      && serviceUUIDs.allSatisfy { other.serviceUUIDs.contains($0) }
      && manufacturerData.allSatisfy { other.manufacturerData[$0.key] == $0.value }
      && serviceData.allSatisfy { other.serviceData[$0.key] == $0.value }
  }
}
