import BleperaAir
import BleperaBluetooth
import BleperaVirtualBlueZ

/// The plan of a trial, which follows from its seed. The outcome also depends on the timing of processes.
struct TrialPlan: Sendable {
  enum Victim: String, Sendable {
    case app
    case system
    case both
  }

  /// The cause that restarts a killed process.
  enum Recovery: String, Sendable {
    /// An operation of a central, or the app, which notices the end of its system.
    case event
    /// The user starts it.
    case hand
  }

  let seed: UInt64
  let victim: Victim
  let recovery: Recovery
  /// The number of the operation, of all centrals together, that starts the clock.
  let operation: Int
  /// The time from that operation to the kill: from 10 µs to 0.3 s, each power of ten as likely.
  let delay: Duration
  /// Whether it waits from there for the system to be saving, on disk, and how long it lets it do so.
  let aim: Duration?
  /// The time from the kill to the user's restart.
  let recoveryDelay: Duration
  /// The number of operations of each central after a kill of the app alone.
  let further: Int
  /// Whether the system is killed before the app, if both are.
  let isSystemFirst: Bool
  let behavior: DaemonBehavior
  let latency: Duration

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    self.seed = seed
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6: victim = .app
    case 6..<9: victim = .system
    default: victim = .both
    }
    recovery = Bool.random(using: &random) ? .event : .hand
    operation = Int.random(in: 3...40, using: &random)
    var microseconds = 10.0
    for _ in 0..<Int.random(in: 0..<4, using: &random) { microseconds *= 10 }
    microseconds *= Double.random(in: 1...10, using: &random)
    delay = .microseconds(Int64(min(microseconds, 300_000)))
    recoveryDelay = .milliseconds(Int.random(in: 0...80, using: &random))
    further = Int.random(in: 0...8, using: &random)
    isSystemFirst = Bool.random(using: &random)
    let isAimed = Bool.random(using: &random)
    let wait = Duration.microseconds(Int.random(in: 0...2000, using: &random))
    aim = isAimed && victim != .app ? wait : nil
    behavior =
      Bool.random(using: &random)
      ? DaemonBehavior(minor: 82) : DaemonBehavior(minor: 66, isExperimental: true)
    latency = .microseconds(Int.random(in: 100...1000, using: &random))
  }

  /// The choices of one central.
  func choices(of central: Int) -> SplitMix64 { SplitMix64(seed: seed &* 31 &+ UInt64(central) &+ 1) }
}
