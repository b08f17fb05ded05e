import Glibc

/// The resources that this process has used so far.
package struct Usage {
  /// The processor time of this process, in which other programs do not count.
  package let processorTime: Duration
  /// The peak memory in MB.
  package let peakMemory: Int

  package static var now: Usage {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Usage(usage)
  }

  private init(_ usage: rusage) {
    let times = [usage.ru_utime, usage.ru_stime]
    processorTime =
      .seconds(times.reduce(0) { $0 + $1.tv_sec }) + .microseconds(times.reduce(0) { $0 + $1.tv_usec })
    peakMemory = usage.ru_maxrss * 1024 / 1_000_000
  }
}

/// The processor time that some work takes.
package func processorTime(_ work: () async throws -> Void) async rethrows -> Duration {
  let start = Usage.now.processorTime
  try await work()
  return Usage.now.processorTime - start
}
