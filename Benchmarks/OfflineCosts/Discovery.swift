import BenchmarkSupport
import BleperaDiscovery

/// Measures a trial of the fast model of discovery, at 30/320 and at 11.25/1280, which needs most events.
func measureDiscovery() async {
  for (scanInterval, window) in [(320_000, 30_000), (1_280_000, 11_250)] {
    let model = DiscoveryModel(
      DiscoverySetting(interval: 1_022_500, scanInterval: scanInterval, window: window), seed: 1)
    var times: [Double] = []
    for _ in 0..<5 {
      let time = await processorTime {
        precondition(model.counts(of: 0..<20_000).notFound == 0, "every phone is found in an hour")
      }
      times.append(time.nanoseconds(for: 20_000))
    }
    report(
      "discovery trial",
      ["scanInterval": Double(scanInterval) / 1000, "window": Double(window) / 1000, "time": median(times)])
  }
}
