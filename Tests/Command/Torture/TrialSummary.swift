/// The results of all trials, in one line.
struct TrialSummary {
  private var victims: [TrialPlan.Victim: Int] = [:]
  private var acknowledged = 0
  private var halfSaved = 0
  private var lost = 0
  private var invented = 0
  private(set) var failed = 0
  private(set) var trials = 0

  mutating func add(_ outcome: Trial.Outcome) {
    trials += 1
    victims[outcome.victim, default: 0] += 1
    acknowledged += outcome.acknowledged
    halfSaved += outcome.isHalfSaved ? 1 : 0
    lost += outcome.lost
    invented += outcome.invented
    failed += outcome.failure == nil ? 0 : 1
  }

  func line(after time: Duration, seed: UInt64) -> String {
    func count(_ victim: TrialPlan.Victim) -> String { "\(victims[victim] ?? 0) \(victim.rawValue)" }
    let seconds = Int(time / .seconds(1))
    let duration = seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    return """
      torture: \(Self.grouped(trials)) trial\(trials == 1 ? "" : "s") (\(count(.app)), \(count(.system)), \
      \(count(.both)); \(halfSaved) during a save), \(Self.grouped(acknowledged)) acknowledged operations, \
      \(lost) lost, \(invented) invented, \(failed) failed, \(duration), seed \(seed)
      """
  }

  private static func grouped(_ number: Int) -> String {
    var digits = String(number)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}
