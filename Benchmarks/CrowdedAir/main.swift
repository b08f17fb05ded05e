import BenchmarkSupport

// Measures a simulated hour of a crowd, and a minute of crowds of all sizes: time and memory. Each runs twice, and both
// runs must be equal. Then measures connections to one phone, with the discovery of its services.

let hours = [Crowd(isScanning: false), Crowd()]
let minutes = [1, 10, 100, 1000].map { Crowd(phones: $0, centrals: 50, duration: .seconds(60)) }
for crowd in hours + minutes {
  var results: [Crowd.Result] = []
  var times: [Double] = []
  for _ in 0..<2 { times.append(await processorTime { results.append(crowd.run()) }.seconds) }
  guard results[0] == results[1] else { fatalError("two runs of the same seed differ: \(results)") }
  let time = times.min() ?? 0
  report(
    "crowd",
    [
      "phones": Double(crowd.phones), "centrals": Double(crowd.centrals), "scanning": crowd.isScanning ? 1 : 0,
      "simulated": crowd.duration.seconds, "time": time, "notifications": Double(results[0].notifications),
      "heard": Double(results[0].advertisementsHeard), "memory": Double(Usage.now.peakMemory),
    ])
}

let discovery = Discovery()
var discoveryTimes: [Double] = []
for _ in 0..<3 {
  let time = await processorTime {
    guard discovery.run() == discovery.count else { fatalError("a central has not discovered a phone") }
  }
  discoveryTimes.append(time / .milliseconds(1) / Double(discovery.count))
}
report("discovery", ["services": Double(discovery.services), "time": median(discoveryTimes)])
