import Glibc
import Profile

/// A profile on disk.
struct ProfileFile {
  /// No profile is larger; a device or a wrong file is refused instead of read for ever.
  static let maximumLength = 16 << 20

  let path: String

  struct Unreadable: Error, CustomStringConvertible {
    let path: String
    /// A few words.
    let reason: String

    var description: String { "\(path): error: \(reason)" }
  }

  /// `heart-rate` for `profiles/heart-rate.plist`.
  var name: String {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    return last.hasSuffix(".plist") && last != ".plist" ? String(last.dropLast(6)) : last
  }

  func check() throws(Unreadable) -> ProfileCheck { Profile.check(try read(), file: path) }

  func read() throws(Unreadable) -> [UInt8] {
    try Self.read(path, atMost: Self.maximumLength, what: "a profile", form: "a property list")
  }

  /// - Parameters:
  ///   - limit: in bytes.
  ///   - what: what a file of more than that is not.
  ///   - form: what a folder is not.
  static func read(_ path: String, atMost limit: Int, what: String, form: String) throws(Unreadable) -> [UInt8] {
    func failure(_ code: CInt) -> Unreadable {
      switch code {
      case ENOENT: Unreadable(path: path, reason: "no such file")
      case EISDIR: Unreadable(path: path, reason: "is a folder, not \(form)")
      case let code: Unreadable(path: path, reason: unsafe String(cString: strerror(code)))
      }
    }
    guard let file = unsafe fopen(path, "r") else { throw failure(errno) }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      bytes += buffer[..<count]
      if bytes.count > limit {
        throw Unreadable(path: path, reason: "larger than \(limit >> 20) MiB; not \(what)")
      }
      if count < buffer.count { break }
    }
    guard unsafe ferror(file) == 0 else { throw failure(errno) }
    return bytes
  }
}
