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
    guard let file = unsafe fopen(path, "r") else { throw failure(errno) }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      bytes += buffer[..<count]
      if bytes.count > Self.maximumLength {
        throw Unreadable(path: path, reason: "larger than \(Self.maximumLength >> 20) MiB; not a profile")
      }
      if count < buffer.count { break }
    }
    guard unsafe ferror(file) == 0 else { throw failure(errno) }
    return bytes
  }

  private func failure(_ code: CInt) -> Unreadable {
    switch code {
    case ENOENT: Unreadable(path: path, reason: "no such file")
    case EISDIR: Unreadable(path: path, reason: "is a folder, not a property list")
    case let code: unsafe Unreadable(path: path, reason: String(cString: strerror(code)))
    }
  }
}
