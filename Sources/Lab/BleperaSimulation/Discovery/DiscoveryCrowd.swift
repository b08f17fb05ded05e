import BleperaAir
import BleperaBluetooth
package import BleperaDiscovery
import BleperaHost

/// Phones and one scanner on the virtual air, packet by packet. Each phone of a run is a trial; the phones of a run share
/// the phase of the scanner.
package struct DiscoveryCrowd: Sendable {
  private let setting: DiscoverySetting
  private let phones: Int
  private let seed: UInt64
  /// Whether the scanner receives each phone as if there were no other, for comparison with the model of one phone.
  private let areAlone: Bool

  package init(_ setting: DiscoverySetting, phones: Int, areAlone: Bool = false, seed: UInt64) {
    (self.setting, self.phones, self.areAlone) = (setting, phones, areAlone)
    self.seed = setting.seed(seed)
  }

  /// The times of those trials; the trial t is the phone t mod N of the run t / N.
  package func counts(of trials: Range<Int>) -> DiscoveryCounts {
    var counts = DiscoveryCounts()
    guard !trials.isEmpty else { return counts }
    for run in trials.lowerBound / phones...(trials.upperBound - 1) / phones {
      let times = times(ofRun: run)
      for trial in trials.clamped(to: run * phones..<(run + 1) * phones) { counts.add(times[trial - run * phones]) }
    }
    return counts
  }

  /// The longest time that a run simulates, in microseconds.
  package var longestRun: Int { warmUp + setting.within }

  private var period: Int { setting.pauses.map { $0.scan + $0.pause } ?? 3 * setting.scanInterval }
  /// All phones advertise for a while before the scan starts, and the scan starts a period before time zero at most.
  private var warmUp: Int { 3 * (setting.interval + setting.delay) + period }

  /// The times until the phones of a run are found, in microseconds; nil for a phone that is not found in time.
  package func times(ofRun run: Int) -> [Int?] {
    var random = SplitMix64(seed: SplitMix64.number(at: UInt64(truncatingIfNeeded: run), seed: seed))
    var conditions = AirConditions(loss: Double(setting.loss) / 1_000_000)
    (conditions.spacing, conditions.hasBackoff) = (.microseconds(setting.spacing), setting.hasBackoff)
    (conditions.collides, conditions.isExclusive) = (!areAlone, !areAlone)
    var hall = Hall(
      air: VirtualAir(conditions: conditions, seed: random.next()), zero: .microseconds(warmUp),
      needsResponse: setting.match == .response, times: Array(repeating: nil, count: phones))
    hall.add(setting, phones, using: &random)
    let phase = setting.start == .arrival ? Int.random(in: 0..<period, using: &random) : 0
    hall.scan(setting, from: warmUp - phase, period: period, until: longestRun)
    return hall.times.map { $0.flatMap { $0 <= setting.within ? $0 : nil } }
  }
}

/// The air of one run.
private struct Hall {
  private static let scanner = AdapterID(0)

  var air: VirtualAir
  /// The time before which reports of the scanner are ignored.
  let zero: Duration
  let needsResponse: Bool
  var times: [Int?]
  private var found = 0

  init(air: VirtualAir, zero: Duration, needsResponse: Bool, times: [Int?]) {
    (self.air, self.zero, self.needsResponse, self.times) = (air, zero, needsResponse, times)
  }

  /// Starts the advertising of all phones, at uniform phases of an interval.
  mutating func add(_ setting: DiscoverySetting, _ phones: Int, using random: inout SplitMix64) {
    let packets = AdvertisingPackets(
      data: Array(repeating: 0, count: setting.data), scanResponse: Array(repeating: 0, count: setting.response),
      interval: .microseconds(setting.interval))
    for number in 0...phones {
      var description = AdapterDescription.controller(address: Self.address(number), name: "\(number)")
      description.advertisingDelay = AdvertisingDelay(maximum: .microseconds(setting.delay), step: nil)
      send(.added(AdapterID(number), description), at: .zero)
    }
    // The first event is as far away as from any moment.
    let starts = (1...phones).map { number in
      let gap = setting.interval + Int.random(in: 0...setting.delay, using: &random)
      return (Int.random(in: 0..<gap, using: &random), number)
    }
    for (start, number) in starts.sorted(by: <) {
      advance(to: .microseconds(start))
      send(
        .linkLayer(AdapterID(number), .advertise(AdvertisementID(number), packets)), at: .microseconds(start))
    }
  }

  /// Scans until all phones are found or the time ends.
  mutating func scan(_ setting: DiscoverySetting, from start: Int, period: Int, until end: Int) {
    let window = ScanWindow(
      interval: .microseconds(setting.scanInterval), window: .microseconds(setting.window), isActive: setting.isActive)
    var start = start
    while start < end, found < times.count {
      advance(to: .microseconds(start))
      send(.linkLayer(Self.scanner, .scan(window)), at: .microseconds(start))
      guard let pauses = setting.pauses else { break }
      if pauses.pause > 0, start + pauses.scan < end {
        advance(to: .microseconds(start + pauses.scan))
        send(.linkLayer(Self.scanner, .scan(nil)), at: .microseconds(start + pauses.scan))
      }
      start += period
    }
    advance(to: .microseconds(end))
  }

  private static func address(_ number: Int) -> DeviceAddress { DeviceAddress(bits: UInt64(number)) }

  private mutating func advance(to end: Duration) {
    while found < times.count, let deadline = air.nextDeadline, deadline <= end { send(.tick, at: deadline) }
  }

  private mutating func send(_ event: AirEvent, at now: Duration) {
    var withdrawn: [Int] = []
    for case .linkLayer(Self.scanner, .received(let report)) in air.handle(event, at: now) where now >= zero {
      guard !needsResponse || report.hasResponse else { continue }
      let phone = Int(report.address.bits) - 1
      guard times[phone] == nil else { continue }
      times[phone] = Int((now - zero) / .microseconds(1))
      found += 1
      if !air.conditions.collides { withdrawn.append(phone + 1) }
    }
    // A phone that is found and disturbs no other need not go on.
    for number in withdrawn {
      _ = air.handle(.linkLayer(AdapterID(number), .withdraw(AdvertisementID(number))), at: now)
    }
  }
}
