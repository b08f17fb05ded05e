import ArgumentParser
import BleperaCLI
import BleperaEventLoop
import BleperaLoop
import BleperaSimulation
import Glibc

/// The results of scenarios as JSON.
struct ScenarioReport: CommandReport {
  let results: [ScenarioResult]

  private enum CodingKeys: CodingKey {
    case passed, scenarios
  }

  private struct Scenario: Encodable {
    let file: String
    let name: String
    let passed: Bool
    let steps: [Step]
  }

  private struct Step: Encodable {
    let line: Int
    let text: String
    /// `passed`, `failed`, `error` or `skipped`.
    let outcome: String
    let reason: String?
    let note: String?
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(results.allSatisfy(\.hasPassed), forKey: .passed)
    let scenarios = results.map { result in
      Scenario(file: result.file, name: result.name, passed: result.hasPassed, steps: result.steps.map(Self.step))
    }
    try container.encode(scenarios, forKey: .scenarios)
  }

  private static func step(_ step: StepResult) -> Step {
    Step(line: step.line, text: step.text, outcome: step.outcome.name, reason: step.failure, note: step.note)
  }

  func lines(for terminal: Terminal) -> [String] { [ScenarioText(terminal: terminal).summary(results)] }
}

/// Removes a story from real adapters when a signal ends the process, since bluetoothd would keep its connections.
final class TerminationSignalHandler: Sendable {
  private let loop: EventLoop?
  private let signals: [EventSource]

  init(_ air: Air) {
    guard !air.radio.isVirtual else {
      (loop, signals) = (nil, [])
      return
    }
    let loop = EventLoop(name: "signals")
    self.loop = loop
    signals = loop.watchTermination { signal in
      // The task does not run on Swift's threads, which may wait for the reader of the output.
      Task(executorPreference: loop.tasks) {
        await air.close()
        exit(OutputQueues.hasFailed ? 1 : 128 + signal)
      }
    }
  }

  func cancel() {
    for signal in signals { signal.cancel() }
    loop?.stop()
  }
}
