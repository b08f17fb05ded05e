import BenchmarkSupport
import BleperaSimulation
import Glibc

/// Measures the time of a step of the shipped scenarios, including the setup of each scenario.
func measureScenarios(in folder: String) async throws {
  let names = [
    "before-ios-14", "bit-collision", "filter-by-name", "force-quit", "foreground-only", "ios-14-rule", "whole-mask",
  ]
  let scenarios = try names.map { name in try scenario(at: "\(folder)/\(name).plist") }
  var times: [Double] = []
  for _ in 0..<5 {
    var steps = 0
    let time = await processorTime {
      for scenario in scenarios {
        var runner = ScenarioRunner(scenario)
        steps += await runner.run(file: scenario.title).steps.count
      }
    }
    times.append(time.nanoseconds(for: steps))
  }
  report("scenario step", ["time": median(times)])
}

private struct UnreadableFile: Error { let path: String }

private func scenario(at path: String) throws -> Scenario {
  let check = Scenario.check(try bytes(of: path), file: path) { path in
    (try? bytes(of: path)).map { .success($0) } ?? .failure(UnreadableProfile(reason: "no such file"))
  }
  guard let scenario = check.scenario else { throw UnreadableFile(path: path) }
  return scenario
}

private func bytes(of path: String) throws -> [UInt8] {
  guard let file = unsafe fopen(path, "r") else { throw UnreadableFile(path: path) }
  defer { unsafe fclose(file) }
  var result: [UInt8] = []
  while case let byte = unsafe getc(file), byte != EOF { result.append(UInt8(byte)) }
  return result
}
