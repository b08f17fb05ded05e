import AppLink
import Glibc

/// This program, as it was started.
enum OwnProcess {
  /// An absolute path where the kernel says one that is still there.
  static var program: String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe readlink("/proc/self/exe", bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    let path = count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    let isThere = unsafe access(path, X_OK) == 0
    return !path.isEmpty && isThere ? path : "/proc/self/exe"
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

  /// How one of the profiles is served again.
  static func launch(of file: String, system: String, isJSON: Bool) -> LaunchDescription {
    LaunchDescription(
      arguments: [program, "serve", "--system", system] + (isJSON ? ["--json"] : []) + ["--", file], folder: folder,
      environment: environment)
  }
}
