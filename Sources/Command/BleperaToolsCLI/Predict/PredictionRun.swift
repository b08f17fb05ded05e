import BleperaDiscovery
import BleperaSimulation

/// The trials of all settings, in steps that give each setting the same share at any time.
struct PredictionRun {
  struct Step {
    let setting: Int
    let trials: Range<Int>
  }

  private(set) var predictions: [Prediction]
  let steps: [Step]
  private let engines: [(Range<Int>) -> DiscoveryCounts]

  /// The number of steps of a setting that the model computes, unless a step would take long.
  private static let usualSteps = 100
  /// In trials.
  private static let longestStep = 5000

  /// - Parameter settings: each with its trials.
  init(_ settings: [(subject: PredictionSubject, trials: Range<Int>)], seed: UInt64) {
    predictions = settings.map { Prediction(subject: $0.subject) }
    engines = settings.map { subject, _ in
      guard subject.isOnAir else { return DiscoveryModel(subject.setting, seed: seed).counts(of:) }
      return DiscoveryCrowd(subject.setting, phones: subject.phones, seed: seed).counts(of:)
    }
    let all = settings.enumerated().flatMap { index, setting in
      let parts = Self.parts(of: setting.trials, setting.subject)
      return parts.enumerated().map {
        (place: Double($0) / Double(parts.count), step: Step(setting: index, trials: $1))
      }
    }
    steps = all.sorted { ($0.place, $0.step.setting) < ($1.place, $1.step.setting) }.map(\.step)
  }

  /// A step on the air is a run of all phones.
  private static func parts(of trials: Range<Int>, _ subject: PredictionSubject) -> [Range<Int>] {
    let length = subject.isOnAir ? subject.phones : min(max(trials.count / usualSteps, 1), longestStep)
    let first = subject.isOnAir ? trials.lowerBound / length * length : trials.lowerBound
    return stride(from: first, to: trials.upperBound, by: length).map {
      ($0..<$0 + length).clamped(to: trials)
    }
  }

  mutating func perform(_ step: Step) { predictions[step.setting].counts += engines[step.setting](step.trials) }
}
