// A simulated hour of a crowd, and a minute of a large one, each twice: how long it takes, that both are the same, and what memory it needs.

import Glibc

/// What this process has used so far.
func usage() -> rusage {
  var usage = rusage()
  unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage
}

extension rusage {
  /// The most memory that was held at a time, in MB.
  var peakMemory: Int { ru_maxrss * 1024 / 1_000_000 }

  /// What the processor was busy for; other programs do not count, unlike in real time.
  var processorTime: Duration {
    let times = [ru_utime, ru_stime]
    return .seconds(times.reduce(0) { $0 + $1.tv_sec }) + .microseconds(times.reduce(0) { $0 + $1.tv_usec })
  }
}

/// With a comma between each three digits.
func grouped(_ number: Int) -> String {
  var text = ""
  for (place, digit) in String(number).reversed().enumerated() {
    if place > 0, place.isMultiple(of: 3) { text.append(",") }
    text.append(digit)
  }
  return String(text.reversed())
}

let memoryBefore = usage().peakMemory
for crowd in [Crowd(isScanning: false), Crowd(), Crowd(phones: 1000, centrals: 50, duration: .seconds(60))] {
  var results: [Crowd.Result] = []
  var times: [Duration] = []
  for _ in 0..<2 {
    let start = usage().processorTime
    results.append(crowd.run())
    times.append(usage().processorTime - start)
  }
  guard results[0] == results[1] else { fatalError("two runs of the same seed differ: \(results)") }
  let time = times.min() ?? .zero
  print(
    """
    \(crowd.phones) phones, \(crowd.centrals) centrals, \(crowd.isScanning ? "all scanning" : "none scanning")
      notifications         \(grouped(results[0].notifications))
      advertisements heard  \(grouped(results[0].advertisementsHeard))
      processor time        \(time.formatted)
      simulated : real      \(grouped(Int(crowd.duration / time))) : 1 on an idle machine
      the same twice        yes
    """)
}
print("memory at most: \(usage().peakMemory) MB, \(memoryBefore) MB of it before the first")

extension Duration {
  /// In seconds, with hundredths.
  var formatted: String {
    let hundredths = Int(self / .milliseconds(10))
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
  }
}
