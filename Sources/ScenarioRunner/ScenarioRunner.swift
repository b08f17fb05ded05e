package import Scenario

/// Plays a scenario, step by step, up to the first that fails.
package struct ScenarioRunner<Stage: ScenarioStage> {
  let scenario: Scenario
  let stage: Stage
  /// The phone that each central has found last.
  var heard: [String: String] = [:]

  /// Of the trace before a step that has failed, and of it itself.
  private static var linesBefore: Int { 10 }
  private static var linesDuring: Int { 30 }

  package init(_ scenario: Scenario, on stage: Stage) {
    self.scenario = scenario
    self.stage = stage
  }

  /// - Parameters:
  ///   - file: what the result calls it.
  ///   - tell: called with each step that was played, or skipped.
  package mutating func run(file: String, tell: (StepResult) -> Void = { _ in }) async -> ScenarioResult {
    var results: [StepResult] = []
    var isOver = false
    for (number, step) in scenario.steps.enumerated() {
      let start = stage.now
      let result: StepResult
      if isOver {
        result = StepResult(step, .skipped, start: start, end: start)
      } else {
        let mark = stage.trace.count
        stage.note("step \(number + 1): \(step.text)")
        let outcome = await play(step)
        isOver = outcome != .passed
        result = StepResult(
          step, outcome, start: start, end: stage.now, trace: isOver ? Self.excerpt(stage.trace, from: mark) : [])
      }
      results.append(result)
      tell(result)
    }
    return ScenarioResult(title: scenario.title, file: file, steps: results)
  }

  private static func excerpt(_ trace: [String], from mark: Int) -> [String] {
    let during = Array(trace[mark...])
    let left = during.count - linesDuring
    let before = Array(trace[..<mark].suffix(linesBefore))
    guard left > 0 else { return before + during }
    return before + during.prefix(1) + ["... \(left) lines"] + during.dropFirst(1 + left)
  }

  private mutating func play(_ step: Scenario.Step) async -> StepResult.Outcome {
    do throws(StageFailure) {
      switch step.action {
      case .serve(let app): try await stage.serve(app)
      case .crash(let app): try await stage.crash(app)
      case .order(let order, let phone, let app): try await stage.perform(order, on: phone, app: app)
      case .wait(let virtual, let real): await stage.advance(by: stage.isRealTime ? real : virtual)
      case .fault(let fault): try await stage.apply(fault)
      case .pair(let central):
        return Self.outcome(try await stage.pair(central) ? nil : "not paired; expected it to pair")
      case .disconnect(let central): try await stage.disconnect(central)
      case .scan(let central, let filter, let limit, let expected):
        return Self.outcome(try await scan(central, filter, within: limit, expected))
      case .connect(let central, let phone, let limit, let expected):
        return Self.outcome(try await connect(central, to: phone, within: limit, expected))
      case .check(let central, let limit, let expected):
        return Self.outcome(await check(central, until: stage.now + limit, expected))
      case .inspect(let app, let limit, let expected):
        return Self.outcome(await inspect(app, within: limit, expected))
      case .request(let request, let central, let uuid, let expected):
        let answer = try await stage.request(request, by: central, uuid)
        return Self.outcome(answer.difference(from: expected, of: request))
      case .receive(let central, let uuid, let limit, let value, let isExpected):
        return Self.outcome(try await receive(central, uuid, within: limit, value, isExpected))
      }
      return .passed
    } catch {
      return .broken(error.description)
    }
  }

  private static func outcome(_ failure: String?) -> StepResult.Outcome { failure.map { .failed($0) } ?? .passed }
}
