package import BleperaBluetooth

/// Tracks the contents that are on the air now, from the advertisements that a central receives one by one.
///
/// bluetoothd merges the data of an advertisement into the data it already has, so with it a device must be removed
/// after each advertisement.
package struct AdvertisementTracker: Hashable, Sendable {
  package enum Finding: Hashable, Sendable {
    /// The content is new on the air.
    case discovered
    /// The measured interval of the content, some advertisements after the content was reported.
    case intervalMeasured(Duration)
  }

  private struct TrackedAdvertisement: Hashable {
    let content: AdvertisedContent
    /// The time at which the content was last received or last assumed to be on the air.
    var last: Duration
    /// Whether the time since `last` is a gap between two received advertisements.
    var isGap = true
    /// The number of other contents of the same device that were received since.
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

  /// The contents by the device's address.
  private var devices: [String: [TrackedAdvertisement]] = [:]
  /// The content reported last for each device.
  private var reported: [String: AdvertisedContent] = [:]

  /// The timeout after which a content is off the air, if advertisements are not received one by one and their
  /// intervals cannot be measured; nil to derive the timeout from the intervals.
  private let lossTimeout: Duration?

  package init(lossTimeout: Duration? = nil) { self.lossTimeout = lossTimeout }

  /// The next time at which `check` may report something; nil while nothing is on the air.
  package var deadline: Duration? { devices.values.compactMap { $0.map(silence).max() }.min() }

  /// Whether no device is on the air.
  package var isEmpty: Bool { devices.isEmpty }

  /// Handles an advertisement of the device with that address.
  package mutating func receive(_ content: AdvertisedContent, of device: String, at now: Duration) -> [Finding] {
    var known = devices[device] ?? []
    for index in known.indices where known[index].content != content { known[index].others += 1 }
    known.removeAll { isGone($0, at: now) && $0.content != content }
    defer { devices[device] = known }
    guard let index = known.firstIndex(where: { $0.content == content }), !isGone(known[index], at: now) else {
      known.removeAll { $0.content == content }
      known.append(TrackedAdvertisement(content: content, last: now))
      reported[device] = content
      return [.discovered]
    }
    // The content reported last is off the air again, and this content is still on the air.
    let isBack = !known.contains { $0.content == reported[device] }
    if isBack { reported[device] = content }
    let findings: [Finding] = isBack ? [.discovered] : []
    let (gap, isGap) = (now - known[index].last, known[index].isGap)
    known[index].renew(at: now, isGap: true)
    guard lossTimeout == nil, isGap, known[index].interval == nil else { return findings }
    known[index].gaps.append(gap)
    guard known[index].gaps.count == Self.wantedGaps, let shortest = known[index].gaps.min() else { return findings }
    let whole = known[index].gaps.filter { $0 <= shortest * Self.longestGap }
    let interval = whole.reduce(.zero, +) / whole.count
    known[index].interval = interval
    return findings + [.intervalMeasured(interval)]
  }

  /// Handles data that bluetoothd has merged because it had not removed the device. Known contents that are part of the
  /// merged data are still on the air.
  mutating func receiveMerged(_ content: AdvertisedContent, of device: String, at now: Duration) {
    guard var known = devices[device] else { return }
    for index in known.indices where known[index].content.isPart(of: content) {
      known[index].renew(at: now, isGap: false)
    }
    devices[device] = known
  }

  /// Returns the devices that have stopped advertising, in the order of their addresses.
  package mutating func check(at now: Duration) -> [String] {
    let silent = devices.filter { $0.value.map(silence).max().map { $0 <= now } ?? false }.keys.sorted()
    for device in silent { devices[device] = nil }
    return silent
  }

  /// Resumes after a pause in scanning, and assumes that nothing changed during the pause.
  package mutating func resume(at now: Duration) {
    for (device, known) in devices {
      for index in known.indices { devices[device]?[index].renew(at: now, isGap: false) }
    }
  }

  private func isGone(_ tracked: TrackedAdvertisement, at now: Duration) -> Bool {
    tracked.others >= Self.otherContentLimit || now - tracked.last >= timeout(of: tracked)
  }

  private func silence(_ tracked: TrackedAdvertisement) -> Duration {
    tracked.last + max(timeout(of: tracked), Self.shortestSilence)
  }

  private func timeout(of tracked: TrackedAdvertisement) -> Duration {
    lossTimeout ?? tracked.interval.map { $0 * Self.intervals } ?? Self.defaultTimeout
  }
}

extension AdvertisedContent {
  /// Whether the other content contains all of this one.
  fileprivate func isPart(of other: Self) -> Bool {
    (name == nil || name == other.name) && (appearance == nil || appearance == other.appearance)
      && (txPower == nil || txPower == other.txPower)
      && serviceUUIDs.allSatisfy { other.serviceUUIDs.contains($0) }
      && manufacturerData.allSatisfy { other.manufacturerData[$0.key] == $0.value }
      && serviceData.allSatisfy { other.serviceData[$0.key] == $0.value }
  }
}
