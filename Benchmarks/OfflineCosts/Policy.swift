import BenchmarkSupport
import BleperaBluetooth
import BleperaRules

/// Measures the time of an event of the policy: requests and responses, and apps that move to the background and back.
func measurePolicy(apps: Int) async {
  let rounds = 20_000
  var times: (requests: [Double], moves: [Double]) = ([], [])
  for _ in 0..<5 {
    var policy = runningPolicy(apps: apps)
    var event = 0
    var actions = 0
    let requests = await processorTime {
      for _ in 0..<rounds {
        event += 1
        let app = AppID(rawValue: event % apps)
        actions += policy.handle(.request(app, EventID(rawValue: event), .read, manager: manager), at: .zero).count
        actions += policy.handle(.answered(app, EventID(rawValue: event)), at: .zero).count
      }
    }
    let moves = await processorTime {
      for round in 0..<rounds / 10 {
        let app = AppID(rawValue: round % apps)
        actions += policy.handle(.toBackground(app), at: .zero).count
        actions += policy.handle(.toForeground(app), at: .zero).count
      }
    }
    precondition(actions >= rounds, "every request is delivered")
    times.requests.append(requests.nanoseconds(for: 2 * rounds))
    times.moves.append(moves.nanoseconds(for: rounds / 5))
  }
  report("policy request", ["apps": Double(apps), "time": median(times.requests)])
  report("policy move", ["apps": Double(apps), "time": median(times.moves)])
}

private let manager = ManagerID(.peripheral, .number(0))

/// A policy with a radio that is on and apps that advertise.
private func runningPolicy(apps: Int) -> Policy {
  var policy = Policy(rules: .newest)
  _ = policy.handle(.unlocked, at: .zero)
  _ = policy.handle(.radio(.on), at: .zero)
  for number in 0..<apps {
    let app = AppID(rawValue: number)
    let identity = AppIdentity(
      bundleIdentifier: "org.example.app\(number)", name: "App \(number)", backgroundModes: ["bluetooth-peripheral"])
    _ = policy.handle(.launched(app, identity, into: .foreground), at: .zero)
    _ = policy.handle(.managerCreated(app, manager), at: .zero)
    _ = policy.handle(.startAdvertising(app, requestedAdvertisement(number), by: manager), at: .zero)
  }
  return policy
}
