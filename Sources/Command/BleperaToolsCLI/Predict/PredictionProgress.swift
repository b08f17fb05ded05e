import BleperaCLI
import BleperaDiscovery
import BleperaSimulation

/// The progress of a run on a terminal, with the time left.
struct PredictionProgress {
  private let errors: Terminal
  private let steps: Int
  private let start = ContinuousClock.now
  private var done = 0
  private var shown = Duration.zero

  /// How long a run takes before its progress is shown, and how often it is shown.
  private static let (silence, pace) = (Duration.seconds(1), Duration.milliseconds(200))
  private static let width = 24

  init(_ errors: Terminal, steps: Int) { (self.errors, self.steps) = (errors, steps) }

  mutating func advance() {
    done += 1
    let elapsed = ContinuousClock.now - start
    guard errors.isTerminal, elapsed > Self.silence, elapsed - shown >= Self.pace else { return }
    shown = elapsed
    let bar = String(repeating: "#", count: done * Self.width / steps)
    let left = Self.text(elapsed * Double(steps - done) / Double(done))
    errors.write(
      Array("\r\u{1B}[K\(TextLayout.padded(bar, to: Self.width)) \(done * 100 / steps) %, \(left) left".utf8))
  }

  func finish(isInterrupted: Bool) {
    if shown > .zero { errors.write(Array("\r\u{1B}[K".utf8)) }
    if isInterrupted { errors.print("interrupted after \(done * 100 / max(steps, 1)) % of the trials") }
  }

  /// The longest time that the runs of these trials on the air can take, by a run of two simulated seconds.
  static func estimate(_ subject: PredictionSubject, _ trials: Range<Int>) -> Duration {
    var short = subject.setting
    short.within = min(short.within, 2_000_000)
    let (crowd, longest) = (
      DiscoveryCrowd(short, phones: subject.phones, seed: 0),
      DiscoveryCrowd(subject.setting, phones: subject.phones, seed: 0).longestRun
    )
    let runs = (trials.upperBound - 1) / subject.phones - trials.lowerBound / subject.phones + 1
    let time = ContinuousClock().measure { _ = crowd.times(ofRun: 0) }
    return time * (Double(longest) / Double(crowd.longestRun) * Double(runs))
  }

  /// `45 s`, `12 min`, `3 h`.
  static func text(_ time: Duration) -> String {
    let seconds = max(1, time.components.seconds)
    return seconds < 120 ? "\(seconds) s" : seconds < 7200 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
  }
}
