import BleperaLoop
import BleperaPhone
import BleperaPropertyLists
import Synchronization

@testable import BleperaCLI
@testable import BleperaSimulation

extension FuzzTarget {
  /// A scenario, which `scenario check` reads; a valid and short scenario is played.
  static let scenario = FuzzTarget("scenario") { bytes in
    let check = Scenario.check(bytes, file: "folder/input.plist") { path in
      path.hasSuffix("missing.plist")
        ? .failure(UnreadableProfile(reason: "no such file")) : .success(Array(SampleProfile.text.utf8))
    }
    requireOrder(of: check.diagnostics.filter { $0.file == "folder/input.plist" })
    let hasErrors = check.diagnostics.contains { $0.severity == .error }
    require((check.scenario == nil) == hasErrors, "a scenario without errors is a scenario")
    guard let scenario = check.scenario, scenario.isShort else { return }
    let runner = Mutex(ScenarioRunner(scenario))
    let loop = VirtualLoop()
    let result = loop.run(until: .seconds(1)) {
      var player = runner.withLock { $0 }
      let result = await player.run(file: "input.plist")
      await player.air.close()
      return result
    }
    guard case .success(let played)? = result else { return require(false, "a scenario ends") }
    require(played.steps.count == scenario.steps.count, "each step has a result")
  }
}

extension Scenario {
  /// Whether playing the scenario takes little time.
  fileprivate var isShort: Bool {
    phones.count <= 2 && accessories.count <= 2 && apps.count <= 3 && centrals.count <= 2 && steps.count <= 12
      && phones.allSatisfy { $0.settings.memoryPressure <= 60 }
      && steps.reduce(Duration.zero) { $0 + $1.action.longest } <= .seconds(600)
  }
}

extension Scenario.Step.Action {
  /// The longest time that may pass during the step.
  fileprivate var longest: Duration {
    switch self {
    case .scan(_, _, let limit, _), .connect(_, _, let limit, _), .receive(_, _, let limit, _, _),
      .check(_, let limit, _), .inspect(_, let limit, _):
      limit
    case .wait(let time, _): time
    case .serve, .command, .crash, .forget, .answer, .power, .pair, .disconnect, .request, .fault: .seconds(1)
    }
  }
}
