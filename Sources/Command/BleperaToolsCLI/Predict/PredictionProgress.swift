import BleperaCLI
import BleperaDiscovery
import BleperaSimulation
import Synchronization

/// The progress of a run on a terminal, with the time left; and the estimate of runs on the air.
struct PredictionProgress {
  private let errors: Terminal
  private let steps: Int
  private let start = ContinuousClock.now
  private var done = 0
  private var shown = Duration.zero

  /// How long a run takes before its progress is shown, and how often it is shown.
  private static let (silence, pace) = (Duration.seconds(1), Duration.milliseconds(200))
  private static let width = 24

  init(_ errors: Terminal, steps: Int) {
    self.errors = errors
    self.steps = steps
  }

  mutating func advance() {
    done += 1
    let elapsed = ContinuousClock.now - start
    guard errors.isTerminal, elapsed > Self.silence, elapsed - shown >= Self.pace else { return }
    shown = elapsed
    let bar = done * Self.width / steps
    let left = elapsed * Double(steps - done) / Double(done)
    let text = String(repeating: "#", count: bar) + String(repeating: ".", count: Self.width - bar)
    errors.write(Array("\r\u{1B}[K\(text) \(done * 100 / steps) %, \(Self.text(left)) left".utf8))
  }

  func finish(isInterrupted: Bool) {
    if shown > .zero { errors.write(Array("\r\u{1B}[K".utf8)) }
    guard isInterrupted else { return }
    errors.print("interrupted after \(done * 100 / max(steps, 1)) % of the trials")
  }

  /// Prints how long the runs on the air take at most, by a short run of each setting.
  static func announce(_ subjects: [(subject: PredictionSubject, trials: Range<Int>)], on errors: Terminal) {
    var (runs, time) = (0, Duration.zero)
    for (subject, trials) in subjects where subject.isOnAir && !trials.isEmpty {
      var short = subject.setting
      short.within = min(short.within, shortRun)
      let crowd = DiscoveryCrowd(short, phones: subject.phones, seed: 0)
      let count = (trials.upperBound - 1) / subject.phones - trials.lowerBound / subject.phones + 1
      let longest = DiscoveryCrowd(subject.setting, phones: subject.phones, seed: 0).longestRun
      let cost = ContinuousClock().measure { _ = crowd.times(ofRun: 0) }
      time += cost * (Double(longest) / Double(crowd.longestRun) * Double(count))
      runs += count
    }
    guard runs > 0 else { return }
    errors.print("\(runs) runs on the virtual air, which take at most about \(text(time))")
  }

  /// The simulated time of the run that is measured, in microseconds.
  private static let shortRun = 2_000_000

  /// `45 s`, `12 min`, `3 h`.
  private static func text(_ time: Duration) -> String {
    let seconds = max(1, time.components.seconds)
    return seconds < 120 ? "\(seconds) s" : seconds < 7200 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
  }
}

/// Whether a signal has asked for the end of a run; set on the thread of an event loop.
final class Interruption: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}
