import GATT
import Glibc

/// Where a system keeps its state and its logs: a folder that only its user can enter.
package struct StateFolder: Hashable, Sendable {
  package let name: String
  /// `$BLEPERA_STATE_DIR`, `$XDG_STATE_HOME`, or `~/.local/state` where there is neither (XDG Base Directory
  /// Specification 0.8).
  package let home: String

  /// Where a lab has a place of its own for what is preserved in it.
  package static let homeVariable = "BLEPERA_STATE_DIR"

  package var path: String { "\(parent)/\(name)" }
  package var state: String { "\(path)/state.plist" }
  package var systemLog: String { "\(path)/system.log" }
  package var apps: String { "\(path)/apps" }
  /// Where the state is written before it takes its place.
  var unfinished: String { "\(path)/state.plist.new" }
  private var parent: String { "\(home)/blepera" }
  /// From the outermost on.
  var own: [String] { [parent, path] }

  package init(name: String, environment: (String) -> String?) throws(PreservationFailure) {
    let isGood = name.utf8.allSatisfy { Self.isWord($0) }
    guard isGood, (1...32).contains(name.utf8.count) else { throw .badName(name) }
    self.name = name
    func folder(_ variable: String) -> String? { environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    guard
      let home = folder(Self.homeVariable) ?? folder("XDG_STATE_HOME") ?? folder("HOME").map({ "\($0)/.local/state" })
    else { throw .noHome }
    self.home = home
  }

  /// Of this process's environment.
  package init(name: String) throws(PreservationFailure) {
    try self.init(name: name, environment: { name in unsafe getenv(name).map { unsafe String(cString: $0) } })
  }

  /// Where an app's output goes. What a file's name cannot have stands as `%` and two digits; a name that would be too
  /// long for a file ends in a checksum instead.
  package func appLog(_ identifier: String) -> String {
    var name = ""
    for (index, byte) in identifier.utf8.enumerated() {
      let isKept = Self.isWord(byte) || (byte == UInt8(ascii: ".") && index > 0)
      name += isKept ? String(UnicodeScalar(byte)) : "%" + Hex.string([byte])
    }
    let longest = 200
    if name.utf8.count > longest {
      let checksum = CRC32.checksum(of: Array(identifier.utf8)[...])
      name = "\(name.prefix(longest))~\(String(checksum, radix: 16))"
    }
    return "\(apps)/\(name).log"
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
