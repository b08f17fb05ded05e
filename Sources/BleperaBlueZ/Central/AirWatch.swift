import BleperaDBus

/// Tracks which advertised contents are on the air now, from the advertisements that a central receives one by one.
///
/// Requires each advertisement on its own: bluetoothd must remove the device after each one, because it merges the data
/// of the next advertisement into the data it already has.
package struct AirWatch: Hashable, Sendable {
  package enum Finding: Hashable, Sendable {
    /// A new content is on the air.
    case heard(FoundDevice)
    /// The measured interval of a content, some advertisements after the content was reported.
    case paced(FoundDevice, every: Duration)
    /// No content of the device is on the air any more.
    case silent(FoundDevice)
  }

  private struct Sighting: Hashable {
    var device: FoundDevice
    /// When the content was last received or last assumed to be on the air.
    var last: Duration
    /// Whether the time since `last` is a gap between two received advertisements.
    var isGap = true
    /// How many other contents of the same device have been received since.
    var others = 0
    var gaps: [Duration] = []
    var interval: Duration?

    mutating func renew(at now: Duration, isGap: Bool) {
      (last, self.isGap, others) = (now, isGap, 0)
    }
  }

  /// The number of gaps from which the interval is computed.
  private static let wantedGaps = 4
  /// A gap longer than the shortest by this factor contains a lost advertisement.
  private static let longestGap = 1.5
  /// A content is off the air after this many intervals without it, or this many other contents of the same device.
  private static let intervals = 4
  private static let otherContentLimit = 4
  /// The timeout if the interval is unknown: four of bluetoothd's intervals when it ignores requested intervals.
  private static let defaultTimeout = Duration.milliseconds(5_200)
  /// The minimum time before silence is reported, however short the interval.
  private static let shortestSilence = Duration.seconds(2)

  private var sightings: [ObjectPath: [Sighting]] = [:]
  /// The content reported last for each device.
  private var told: [ObjectPath: FoundDevice.Advertised] = [:]

  /// The timeout after which a content is off the air, if advertisements are not received one by one and their
  /// intervals cannot be measured; nil to derive the timeout from the intervals.
  private let lossTimeout: Duration?

  package init(lossTimeout: Duration? = nil) { self.lossTimeout = lossTimeout }

  /// When `check` may next report something; nil while nothing is on the air.
  package var deadline: Duration? {
    sightings.values.compactMap { $0.map(silence).max() }.min()
  }

  /// The devices that are on the air.
  package var present: [FoundDevice] {
    sightings.sorted { $0.key < $1.key }.compactMap { $0.value.max { $0.last < $1.last }?.device }
  }

  /// Handles a device whose known data comes from one advertisement only.
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
    // The content reported last is off the air again, and this content is still on the air.
    let isBack = !known.contains { $0.device.advertised == told[device.path] }
    if isBack { told[device.path] = device.advertised }
    let findings: [Finding] = isBack ? [.heard(device)] : []
    let (gap, isGap) = (now - known[index].last, known[index].isGap)
    known[index].renew(at: now, isGap: true)
    guard lossTimeout == nil, isGap, known[index].interval == nil else { return findings }
    known[index].gaps.append(gap)
    guard known[index].gaps.count == Self.wantedGaps, let shortest = known[index].gaps.min() else { return findings }
    let whole = known[index].gaps.filter { $0 <= shortest * Self.longestGap }
    let interval = whole.reduce(.zero, +) / whole.count
    known[index].interval = interval
    return findings + [.paced(device, every: interval)]
  }

  /// Handles a device that bluetoothd updated before removing it, with merged data. Known contents that are part of the
  /// merged data are still on the air.
  package mutating func heardMore(_ device: FoundDevice, at now: Duration) {
    sightings[device.path] = sightings[device.path]?.map { sighting in
      guard sighting.device.advertised.isPart(of: device.advertised) else { return sighting }
      var sighting = sighting
      sighting.renew(at: now, isGap: false)
      return sighting
    }
  }

  /// Returns the devices that have stopped advertising.
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

  /// Resumes after a pause in scanning, and assumes that nothing changed during the pause.
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
    sighting.others >= Self.otherContentLimit || now - sighting.last >= timeout(of: sighting)
  }

  private func silence(_ sighting: Sighting) -> Duration {
    sighting.last + max(timeout(of: sighting), Self.shortestSilence)
  }

  private func timeout(of sighting: Sighting) -> Duration {
    lossTimeout ?? sighting.interval.map { $0 * Self.intervals } ?? Self.defaultTimeout
  }
}

extension FoundDevice.Advertised {
  /// Whether the other content contains all of this one.
  func isPart(of other: Self) -> Bool {
    (name == nil || name == other.name) && (appearance == nil || appearance == other.appearance)
      && (txPower == nil || txPower == other.txPower)
      && serviceUUIDs.allSatisfy { other.serviceUUIDs.contains($0) }
      && manufacturerData.allSatisfy { other.manufacturerData[$0.key] == $0.value }
      && serviceData.allSatisfy { other.serviceData[$0.key] == $0.value }
  }
}
