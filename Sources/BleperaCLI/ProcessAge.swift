import Glibc

/// How long this process has lived.
enum ProcessAge {
  /// In seconds, to the hundredth, as the kernel counts; nil where /proc does not tell.
  static var seconds: Double? {
    guard let text = try? ProfileFile(path: "/proc/self/stat").read() else { return nil }
    return seconds(
      stat: String(decoding: text, as: UTF8.self), uptime: uptime, ticks: Double(sysconf(CInt(_SC_CLK_TCK))))
  }

  /// The start is field 22, in ticks since the machine's; names between parentheses may hold anything (proc(5)).
  static func seconds(stat: String, uptime: Double, ticks: Double) -> Double? {
    guard let end = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 19, let start = Double(fields[19]) else { return nil }
    return max(0, uptime - start / ticks)
  }

  private static var uptime: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
