import BleperaDiscovery
import BleperaSimulation

/// The trials of all settings, in steps that give each setting the same share at any time.
struct PredictionRun {
  /// Trials of one setting.
  struct Step {
    let setting: Int
    let trials: Range<Int>
  }

  private(set) var predictions: [Prediction]
  let steps: [Step]
  private let engines: [Engine]

  private enum Engine {
    case model(DiscoveryModel)
    case air(DiscoveryCrowd)

    func counts(of trials: Range<Int>) -> DiscoveryCounts {
      switch self {
      case .model(let model): model.counts(of: trials)
      case .air(let crowd): crowd.counts(of: trials)
      }
    }
  }

  /// The least number of steps of a setting that the model computes, for a progress in percent.
  private static let leastSteps = 100
  /// The most trials of a step of the model, so that an interrupt takes effect soon.
  private static let longestStep = 5000

  /// - Parameter subjects: the settings, each with its trials.
  init(_ subjects: [(subject: PredictionSubject, trials: Range<Int>)], seed: UInt64) {
    predictions = subjects.map { Prediction(subject: $0.subject) }
    engines = subjects.map { subject, _ in
      subject.isOnAir
        ? .air(DiscoveryCrowd(subject.setting, phones: subject.phones, seed: seed))
        : .model(DiscoveryModel(subject.setting, seed: seed))
    }
    var steps: [(place: Double, step: Step)] = []
    for (index, (subject, trials)) in subjects.enumerated() {
      let parts = Self.parts(of: trials, subject)
      for (number, part) in parts.enumerated() {
        steps.append((Double(number) / Double(parts.count), Step(setting: index, trials: part)))
      }
    }
    // A stable order, as steps of equal places are in the order of the settings.
    self.steps = steps.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
      .map(\.element.step)
  }

  /// A step on the air is a run of all phones.
  private static func parts(of trials: Range<Int>, _ subject: PredictionSubject) -> [Range<Int>] {
    let length =
      subject.isOnAir ? subject.phones : min(max(trials.count / leastSteps, 1), longestStep)
    let first = subject.isOnAir ? trials.lowerBound / length * length : trials.lowerBound
    return stride(from: first, to: trials.upperBound, by: length).map {
      max($0, trials.lowerBound)..<min($0 + length, trials.upperBound)
    }
  }

  mutating func perform(_ step: Step) {
    predictions[step.setting].counts += engines[step.setting].counts(of: step.trials)
  }
}
