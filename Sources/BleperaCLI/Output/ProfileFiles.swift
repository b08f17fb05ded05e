import ArgumentParser
import BleperaPreservation
import BleperaProfile
import BleperaProfileApp
import Glibc

/// A profile on disk.
struct ProfileFile {
  /// In bytes; a larger file is refused.
  static let maximumLength = 16 << 20

  let path: String

  struct Unreadable: Error, CustomStringConvertible {
    let path: String
    /// A phrase.
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
  ///   - what: the expected content, such as `a profile`.
  ///   - form: the expected format, such as `a property list`.
  static func read(_ path: String, atMost limit: Int, what: String, form: String) throws(Unreadable) -> [UInt8] {
    do throws(DiskError) {
      return try SystemDisk().read(path, atMost: limit)
    } catch {
      let reason =
        switch error {
        case DiskError(code: ENOENT): "no such file"
        case DiskError(code: EISDIR): "is a folder, not \(form)"
        case DiskError(code: EFBIG): "larger than \(limit >> 20) MiB; not \(what)"
        case .special: "is a named pipe or a device, not \(form)"
        default: error.reason
        }
      throw Unreadable(path: path, reason: reason)
    }
  }
}

/// Profiles that are used together.
struct ProfileFiles: Equatable {
  /// The diagnostics of all files, one on a line.
  let faults: [String]
  /// In the order of the files; nil if a file has an error.
  let profiles: [NamedProfile]?

  init(_ paths: [String], coloredFor terminal: Terminal) {
    var faults: [String] = []
    var profiles: [NamedProfile] = []
    for path in paths {
      let file = ProfileFile(path: path)
      do {
        let check = try file.check()
        faults += check.diagnostics.map { DiagnosticText(terminal: terminal).line($0) }
        if let profile = check.profile {
          profiles.append(NamedProfile(profile: profile, name: file.name, file: file.path))
        }
      } catch {
        faults.append("\(error)")
      }
    }
    self.faults = faults
    self.profiles = profiles.count == paths.count ? profiles : nil
  }

  /// The profiles of the files. Prints the diagnostics, and throws the exit status if a file has an error.
  static func load(_ paths: [String]) throws(ExitCode) -> [NamedProfile] {
    let errors = Terminal(.error)
    let files = ProfileFiles(paths, coloredFor: errors)
    for line in files.faults { errors.print(line) }
    guard let profiles = files.profiles else { throw ExitCode.faultyInput }
    return profiles
  }
}
