package import BleperaBluetooth
import Glibc

/// This program, as it was started.
package enum OwnProcess {
  /// The variable that a lab sets for its processes: the phones' names in their order, separated by spaces.
  package static let phonesVariable = "BLEPERA_PHONES"

  /// Whether this process runs in a lab.
  package static var isInLab: Bool { unsafe getenv(phonesVariable) != nil }

  /// The program's path: absolute if the kernel knows a path that exists.
  package static var program: String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe readlink("/proc/self/exe", bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    let path = count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    let exists = unsafe access(path, X_OK) == 0
    return !path.isEmpty && exists ? path : "/proc/self/exe"
  }

  static var folder: String {
    guard let path = unsafe getcwd(nil, 0) else { return "/" }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }

  static var environment: [String: String] {
    var settings: [String: String] = [:]
    var next = unsafe environ
    while let text = unsafe next.pointee {
      let setting = unsafe String(cString: text)
      if let end = setting.firstIndex(of: "=") {
        settings[String(setting[..<end])] = String(setting[setting.index(after: end)...])
      }
      unsafe next += 1
    }
    return settings
  }

  /// The command with which the phone can serve one of the profiles again.
  package static func launch(of file: String, system: String, isJSON: Bool) -> LaunchDescription {
    LaunchDescription(
      arguments: [program, "serve", "--system", system] + (isJSON ? ["--json"] : []) + ["--", file], folder: folder,
      environment: environment, isHost: true)
  }
}

/// The age of a process.
package enum ProcessAge {
  /// The age of this process in seconds, to the hundredth, as the kernel counts; nil if /proc is not available.
  package static var seconds: Double? {
    stat(of: "self").flatMap { seconds(stat: $0, uptime: uptime, ticks: Double(sysconf(CInt(_SC_CLK_TCK)))) }
  }

  /// The start time of a process, in ticks since boot; nil if the process has ended.
  static func start(of process: pid_t) -> String? { stat(of: "\(process)").flatMap { start(stat: $0) } }

  package static func seconds(stat: String, uptime: Double, ticks: Double) -> Double? {
    start(stat: stat).flatMap { Double($0) }.map { max(0, uptime - $0 / ticks) }
  }

  /// The start time is field 22, in ticks since boot; names between parentheses may contain anything (proc(5)).
  private static func start(stat: String) -> String? {
    guard let end = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    return fields.count > 19 ? String(fields[19]) : nil
  }

  private static func stat(of process: String) -> String? {
    guard let file = unsafe fopen("/proc/\(process)/stat", "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  private static var uptime: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
