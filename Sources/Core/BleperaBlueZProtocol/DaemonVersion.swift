/// A release of BlueZ, such as 5.66.
package struct DaemonVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let major: Int
  package let minor: Int

  package init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads `Adapter1.Modalias`, `usb:v1D6Bp0246d0542`, whose last part is the version in hexadecimal: 5.66.
  ///
  /// Nil if main.conf's DeviceID has set another value.
  package init?(modalias: String) {
    let prefix = "usb:v1D6Bp0246d"
    guard modalias.hasPrefix(prefix), let code = UInt16(modalias.dropFirst(prefix.count), radix: 16) else { return nil }
    self.init(Int(code >> 8), Int(code & 0xFF))
  }

  /// Parses the output of `bluetoothd --version`.
  package init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let major = Int(parts[0]), let minor = Int(parts[1]) else { return nil }
    self.init(major, minor)
  }

  /// The release after 5.87, which has what is in BlueZ's tree and in no release (4 August 2026).
  package static let next = DaemonVersion(5, 88)

  /// Whether this release honors MinInterval, MaxInterval and TxPower of an advertisement.
  package func honorsIntervals(isExperimental: Bool) -> Bool {
    !DaemonQuirk.ignoresIntervals.applies(to: self)
      || isExperimental && !DaemonQuirk.addsAdvertisementsAtOnce.applies(to: self)
  }

  package static func < (left: DaemonVersion, right: DaemonVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  package var description: String { minor < 10 ? "\(major).0\(minor)" : "\(major).\(minor)" }
}
