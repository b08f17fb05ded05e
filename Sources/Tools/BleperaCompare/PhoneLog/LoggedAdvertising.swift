import BleperaBluetooth
import BleperaHCIProtocol
import BleperaRules

/// The advertising sets in a phone's log, by the commands to the controller and their times.
struct LoggedAdvertising: Sendable {
  private struct Handoff {
    let interval: Int
    let start: Int64
  }

  /// How often a set was started, by kind and interval in units of 0.625 ms.
  private(set) var started = Tally<Started>()
  private(set) var layout = ContentTally()
  private(set) var lockChanges = LockChanges()
  private var sets: [UInt8: AdvertisingSet] = [:]
  private var addresses: [UInt8: (address: UInt64, since: Int64)] = [:]
  private var rotations: [Int64] = []
  private var handoffs: [UInt8: Handoff] = [:]
  /// How long each new content of Handoff had the short interval, in milliseconds.
  private var newTimes: [Double] = []
  private var stopped: [UInt8: (time: Int64, content: PhoneContent?)] = [:]
  /// How long sets were off while they were changed.
  private var changes = Times()
  /// The longest time that a set is off for a change, in nanoseconds; a set that is off for longer has ended.
  private static let longestChange: Int64 = 1_000_000_000

  struct Started: Hashable, Sendable {
    let kind: PhoneContent.Kind
    let interval: Int
    let isConnectable: Bool
  }

  mutating func beginCapture() { (sets, addresses, handoffs, stopped) = ([:], [:], [:], [:]) }

  mutating func handle(_ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>, at time: Int64, _ app: AppScene?) {
    switch opcode {
    case .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingParametersV2:
      guard let new = HCISetParameters(logged: parameters, atLeast: 6) else { return }
      sets[new.set, default: AdvertisingSet()].interval = new.least
      sets[new.set]?.isConnectable = new.properties.contains(.connectable)
    case .leSetExtendedAdvertisingData:
      if let new = try? HCISetData(parameters) { new.apply(to: &sets[new.set, default: AdvertisingSet()].data) }
    case .leSetExtendedScanResponseData:
      if let new = try? HCISetData(parameters) { new.apply(to: &sets[new.set, default: AdvertisingSet()].response) }
    case .leSetAdvertisingParameters:
      guard let new = try? HCIAdvertisingParameters(parameters) else { return }
      sets[Self.legacySet, default: AdvertisingSet()].interval = Int(new.least)
      sets[Self.legacySet]?.isConnectable = new.type == 0
    case .leSetAdvertisingData:
      if let new = try? HCILegacyData(parameters) { sets[Self.legacySet, default: AdvertisingSet()].data = new.data }
    case .leSetScanResponseData:
      if let new = try? HCILegacyData(parameters) {
        sets[Self.legacySet, default: AdvertisingSet()].response = new.data
      }
    case .leSetAdvertisingEnable:
      if let enable = try? HCIFlag(parameters) { turn(Self.legacySet, on: enable.isOn, at: time, app) }
    case .leSetAdvertisingSetRandomAddress:
      if let new = try? HCISetAddress(parameters) { rotate(new.set, to: new.address.bits, at: time) }
    case .leSetExtendedAdvertisingEnable:
      guard let enable = try? HCISetsEnable(parameters) else { return }
      // The command without a set switches all off.
      for handle in enable.sets.isEmpty && !enable.isOn ? Array(sets.keys) : enable.sets.map(\.set) {
        turn(handle, on: enable.isOn, at: time, app)
      }
    default: break
    }
  }

  private static let legacySet: UInt8 = 0

  private mutating func turn(_ handle: UInt8, on isOn: Bool, at time: Int64, _ app: AppScene?) {
    let wasOn = sets[handle]?.isOn ?? false
    if wasOn, !isOn { stopped[handle] = (time, sets[handle]?.sent?.content) }
    sets[handle, default: AdvertisingSet()].isOn = isOn
    guard let sent = sets[handle]?.sent else { return }
    if !wasOn, let stop = stopped.removeValue(forKey: handle), stop.content != sent.content,
      time - stop.time < Self.longestChange
    {
      changes.add(time - stop.time)
    }
    started.add(
      Started(kind: sent.content.kind(in: app), interval: sent.interval, isConnectable: sent.isConnectable))
    if let status = sent.content.status { lockChanges.add(status, at: time) }
    layout.add(sent.content)
    layout.addLayout(sent.content)
    guard sent.content.kind == .handoff else {
      handoffs[handle] = nil
      return
    }
    guard let before = handoffs[handle] else {
      handoffs[handle] = Handoff(interval: sent.interval, start: time)
      return
    }
    if before.interval != sent.interval {
      // The content was new, and changes from the short interval to the long one.
      if before.interval < sent.interval, time > before.start { newTimes.append(Double(time - before.start) / 1e6) }
      handoffs[handle] = Handoff(interval: sent.interval, start: time)
    }
  }

  private mutating func rotate(_ handle: UInt8, to address: UInt64, at time: Int64) {
    let before = addresses[handle]
    guard before?.address != address else { return }
    if let before, before.since > 0, time > before.since, sets[handle]?.isConnectable == true {
      rotations.append(time - before.since)
    }
    // The first address of a log is older than the log.
    addresses[handle] = (address, before == nil ? 0 : time)
  }

  /// The error in milliseconds: commands are late by some milliseconds, or by tens of them.
  private static let newTimeError = 100.0

  var observations: [Observation] {
    var intervals = Tally<String>()
    for (started, count) in started.counts {
      intervals.add(
        "\(started.kind), \(RuleContent.text(Double(started.interval) * 0.625)) ms"
          + (started.isConnectable ? "" : ", not connectable"), count)
    }
    return intervals.observations("requested interval") + layout.layouts.observations("layout")
      + (changes.count > 0 ? [Observation("a changed set is off for", changes.text, changes.count)] : [])
  }

  var measurements: [Measurement] {
    var found = layout.measurements()
    for (name, kind) in PhoneContent.Kind.intervals {
      guard let most = started.most(where: { $0.kind == kind }) else { continue }
      found.append(Measurement(name, .milliseconds(Double(most.value.interval) * 0.625), packets: most.count))
    }
    let handoff = started.counts.filter { $0.key.kind == .handoff }.sorted { $0.value > $1.value }.prefix(2)
      .map(\.key.interval).sorted()
    if let first = handoff.first, let then = handoff.last, first < then {
      found.append(
        .handoffInterval(
          first: Double(first) * 0.625, newTimes: newTimes, then: Double(then) * 0.625,
          errors: ["newTime": Self.newTimeError],
          packets: started.counts.reduce(0) { $0 + ($1.key.kind == .handoff ? $1.value : 0) }))
    }
    if let status = lockChanges.measurement { found.append(status) }
    if let rotation = Measurement.addressRotation(rotations.map { Double($0) / 1e6 }) { found.append(rotation) }
    return found
  }
}
