package import BleperaSessions
import Glibc

extension ProcessEnd {
  /// Ends the process at once.
  @Sendable package static func perform(_ end: ProcessEnd) -> Never {
    switch end {
    case .status(let status): exit(status)
    case .signal(let signal):
      Glibc.signal(signal, SIG_DFL)
      raise(signal)
      exit(128 + signal)
    }
  }
}
