package import ArgumentParser
import BleperaAppLink
import BleperaPreservation
package import BleperaProfile
package import BleperaProfileApp
import Glibc

/// A profile on disk.
package struct ProfileFile {
  /// The largest file that is read, in bytes.
  static let maximumLength = 16 << 20

  /// `-` for standard input.
  let path: String

  package init(path: String) { self.path = path }

  /// The files of arguments: a folder is the property lists in it, in alphabetical order.
  package static func paths(_ arguments: [String]) -> [String] {
    arguments.flatMap { argument in
      var info = stat()
      guard unsafe stat(argument, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else { return [argument] }
      let folder = argument.reduce(into: "") { $0 += "\\*?[".contains($1) ? "\\\($1)" : "\($1)" }
      var found = unsafe glob_t()
      defer { unsafe globfree(&found) }
      // A pattern without a match stays as the path, as in a shell.
      let pattern = folder + (folder.hasSuffix("/") ? "*.plist" : "/*.plist")
      guard unsafe glob(pattern, GLOB_NOCHECK, nil, &found) == 0 else { return [argument] }
      return unsafe (0..<Int(found.gl_pathc)).map { unsafe String(cString: found.gl_pathv[$0]!) }
    }
  }

  package struct Unreadable: Error, CustomStringConvertible {
    let path: String
    /// The reason, a phrase.
    package let reason: String

    package var description: String { "\(path): error: \(reason)" }
  }

  /// `heart-rate` for `profiles/heart-rate.plist`.
  package var name: String { Profile.name(ofFile: path) }

  func check() throws(Unreadable) -> ProfileCheck { Profile.check(try read(), file: path) }

  package func read() throws(Unreadable) -> [UInt8] {
    try Self.read(path, atMost: Self.maximumLength, what: "a profile", form: "a property list")
  }

  /// - Parameters:
  ///   - limit: the largest size in bytes.
  ///   - what: the expected content, such as `a profile`.
  ///   - form: the expected format, such as `a property list`.
  package static func read(_ path: String, atMost limit: Int, what: String, form: String) throws(Unreadable) -> [UInt8]
  {
    do throws(DiskError) {
      return try path == "-" ? SystemDisk().readInput(atMost: limit) : SystemDisk().read(path, atMost: limit)
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
package struct ProfileFiles: Equatable {
  /// The diagnostics of all files, one on a line.
  let faults: [String]
  /// The profiles in the order of the files; nil if a file has an error.
  let profiles: [NamedProfile]?

  /// - Parameter arguments: files, and folders of files.
  init(_ arguments: [String], coloredFor terminal: Terminal) {
    let paths = ProfileFile.paths(arguments)
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

  /// The accessories of the files, named after them. Prints the diagnostics, and throws the exit status if a file has
  /// an error.
  package static func loadAccessories(
    _ arguments: [String], besides names: [String]
  ) throws(ExitCode) -> [(name: String, description: AccessoryDescription)] {
    let (errors, paths) = (Terminal(.error), ProfileFile.paths(arguments))
    var accessories: [(name: String, description: AccessoryDescription)] = []
    for path in paths {
      do throws(ProfileFile.Unreadable) {
        let file = ProfileFile(path: path)
        let check = AccessoryDescription.check(try file.read(), file: path)
        errors.print(check.diagnostics.map { DiagnosticText(terminal: errors).line($0) })
        guard let accessory = check.accessory else { continue }
        let name = ControlAddress.name(like: file.name, besides: names + accessories.map(\.name))
        accessories.append((name, accessory))
      } catch { errors.print("\(error)") }
    }
    guard accessories.count == paths.count else { throw ExitCode.faultyInput }
    return accessories
  }

  /// The profiles of the files. Prints the diagnostics, and throws the exit status if a file has an error.
  package static func load(_ arguments: [String]) throws(ExitCode) -> [NamedProfile] {
    let errors = Terminal(.error)
    let files = ProfileFiles(arguments, coloredFor: errors)
    for line in files.faults { errors.print(line) }
    guard let profiles = files.profiles else { throw ExitCode.faultyInput }
    return profiles
  }
}
