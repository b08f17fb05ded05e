import ArgumentParser
import BleperaBluetooth
import BleperaCLI
import BleperaDiscovery
import BleperaProfileApp
import BleperaRules

/// The settings that the options name: every combination of states, intervals and scanners.
extension PredictCommand {
  var seedNumber: UInt64 { seed.flatMap { UInt64($0) } ?? 1 }

  private var rules: RuleSet { RuleSet(ios ?? .newest) }
  /// In microseconds.
  private var intervals: [Int] { interval.map(Self.microseconds) }

  private static func microseconds(_ milliseconds: Double) -> Int { Int((milliseconds * 1000).rounded()) }

  func validate() throws {
    if !merge.isEmpty { return try validateMerge() }
    try validateValues()
    guard !files.isEmpty || !interval.isEmpty else {
      throw ValidationError("Give a profile, or the advertising interval with '--interval'.")
    }
    if files.isEmpty, !state.isEmpty { throw ValidationError("'--state' requires a profile.") }
    if passive, active { throw ValidationError("'--passive' and '--active' exclude each other.") }
    guard (window == nil) == (scanInterval == nil) else {
      throw ValidationError("'--window' and '--scan-interval' require each other.")
    }
    guard window != nil || !preset.isEmpty else {
      throw ValidationError(
        "Give a scanner with '--window' and '--scan-interval', or with '--preset'; the presets are "
          + "\(ScannerPreset.names.joined(separator: ", ")).")
    }
    if android != nil, !preset.contains(where: { $0.hasPrefix("android-") }) {
      throw ValidationError("'--android' requires a preset of Android, such as 'android-low-power'.")
    }
    if ios != nil, files.isEmpty, !preset.contains(where: { $0.hasPrefix("iphone-") }) {
      throw ValidationError("'--ios' requires a profile, or a preset of iPhones, such as 'iphone-awake'.")
    }
    if shard != nil, json || compare || svg != nil {
      throw ValidationError("'--shard' prints lines to merge; give '--json', '--compare' and '--svg' with '--merge'.")
    }
    if run != nil, shard == nil { throw ValidationError("'--run' requires '--shard'.") }
    if let shard, let trials, shard.count > trials {
      throw ValidationError("'--shard \(shard)' divides \(trials) trials into more parts.")
    }
    _ = try scanners()
  }

  private func validateMerge() throws {
    let numbers = [window, scanInterval, loss, within, spacing].contains { $0 != nil }
    let others = [android, phones, trials, run].contains { $0 != nil } || ios != nil || seed != nil || shard != nil
    let words = !files.isEmpty || !interval.isEmpty || !state.isEmpty || !preset.isEmpty
    guard !numbers, !others, !words, !passive, !active, !backoff, match == nil, from == nil else {
      throw ValidationError("'--merge' takes files and '--compare', '--json' and '--svg' alone.")
    }
  }

  private func validateValues() throws {
    typealias Limits = DiscoverySetting.Limits
    func check(_ name: String, _ values: [Double?], _ limits: ClosedRange<Int>, in unit: Double = 1, _ word: String)
      throws
    {
      let range = Double(limits.lowerBound) / unit...Double(limits.upperBound) / unit
      guard let value = values.compactMap(\.self).first(where: { !range.contains($0) }) else { return }
      let text = "\(Quote.number(range.lowerBound)) to \(Quote.number(range.upperBound))"
      throw ValidationError.outOfRange(name, text + word, value)
    }
    try check("--interval", interval, Limits.interval, in: 1000, " ms")
    try check("--window", [window], Limits.scan, in: 1000, " ms")
    try check("--scan-interval", [scanInterval], Limits.scan, in: 1000, " ms")
    try check("--within", [within], Limits.within, in: 1_000_000, " seconds")
    try check("--spacing", [spacing], Limits.spacing, in: 1000, " ms")
    try check("--loss", [loss], 0...100, " percent")
    try check("--phones", [phones.map(Double.init)], 1...10_000, "")
    try check("--trials", [trials.map(Double.init)], 1...1_000_000_000, "")
    try check("--run", [run.map(Double.init)], 1...1_000_000_000, "")
    try check("--android", [android.map(Double.init)], ScannerPreset.androidReleases, "")
    if let window, let scanInterval, window > scanInterval {
      throw ValidationError(
        "'--window' is \(Quote.number(window)) ms, longer than '--scan-interval', \(Quote.number(scanInterval)) ms.")
    }
    if let seed, UInt64(seed) == nil {
      throw ValidationError("'--seed' must be a number from 0 to \(UInt64.max), not '\(seed)'.")
    }
  }

  /// The presets and the scanner of `--window`, in this order.
  private func scanners() throws -> [(scanner: ScannerPreset, isPreset: Bool)] {
    var scanners = try preset.map { name in
      do throws(ScannerPreset.Unusable) {
        let release = android ?? ScannerPreset.androidReleases.upperBound
        return (scanner: try ScannerPreset.find(name, rules: rules, android: release), isPreset: true)
      } catch { throw ValidationError(error.description) }
    }
    if let window, let scanInterval {
      let name = "\(Quote.number(window))/\(Quote.number(scanInterval))"
      scanners.append((ScannerPreset(name, window, of: scanInterval, "the user", .ours), false))
    }
    if passive || active { for index in scanners.indices { scanners[index].scanner.isActive = active } }
    return scanners
  }

  private func predictedPhones(_ profiles: [NamedProfile]) throws -> [PredictedPhone] {
    guard !profiles.isEmpty else { return [try PredictedPhone(intervals: intervals, match: match)] }
    return try (state.isEmpty ? PredictedState.allCases : state).map {
      try PredictedPhone(profiles, $0, rules, given: intervals, match: match)
    }
  }

  func settings(of profiles: [NamedProfile]) throws -> [PredictionSubject] {
    let scanners = try scanners()
    return try predictedPhones(profiles).flatMap { phone in
      phone.intervals.flatMap { interval in
        scanners.map { subject(phone, interval, $0.scanner, isPreset: $0.isPreset) }
      }
    }
  }

  private func subject(
    _ phone: PredictedPhone, _ interval: PredictedPhone.Interval, _ scanner: ScannerPreset, isPreset: Bool
  ) -> PredictionSubject {
    var setting = DiscoverySetting(interval: interval.interval, scanner: scanner)
    (setting.delay, setting.data, setting.response) = (phone.delay, phone.data, phone.response)
    (setting.match, setting.start) = (phone.packet, from ?? .arrival)
    setting.within = Self.microseconds((within ?? 600) * 1000)
    setting.hasBackoff = backoff
    if let spacing { setting.spacing = Self.microseconds(spacing) }
    let (count, lost) = (phones ?? 1, (loss ?? 0) / 100)
    // A passive scanner never finds what is in a scan response, whatever collides.
    let isOnAir = count > 1 && setting.match == .response && setting.isActive
    let collisions =
      isOnAir
      ? 0
      : Collisions.loss(
        phones: count, length: AirTime.advertisement(setting.data), interval: setting.interval, delay: setting.delay)
    setting.loss = Int(((1 - (1 - lost) * (1 - collisions)) * 1_000_000).rounded())
    return PredictionSubject(
      setting: setting, match: phone.match, app: phone.app, interval: interval.basis,
      preset: isPreset ? scanner.name : nil,
      scanner: isPreset ? PredictionSubject.Basis(scanner.standing, scanner.source) : nil, phones: count,
      isOnAir: isOnAir, loss: Int((lost * 1_000_000).rounded()))
  }
}

extension PredictionSubject.Match: ExpressibleByArgument {}

extension DiscoverySetting.Start: ExpressibleByArgument {
  /// The word of `--from`.
  var word: String { self == .arrival ? "arrival" : "scan-start" }

  package init?(argument: String) {
    guard let start = Self.allCases.first(where: { $0.word == argument }) else { return nil }
    self = start
  }

  package static var allValueStrings: [String] { allCases.map(\.word) }
}
