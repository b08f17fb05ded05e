import Glibc

/// Lines for whoever reads us, each at once.
enum Output {
  static func line(_ text: String) {
    var bytes = Array((text + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Seconds with one decimal.
  static func seconds(_ duration: Duration) -> String {
    let tenths = duration / .milliseconds(100)
    let whole = Int(tenths.rounded())
    return "\(whole / 10).\(whole % 10)"
  }
}
