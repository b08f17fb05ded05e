import ArgumentParser
import Profile

/// A profile and the name of its file.
struct NamedProfile: Sendable {
  let profile: Profile
  /// `heart-rate` for `profiles/heart-rate.plist`.
  let name: String

  var identifier: String { profile.bundleIdentifier ?? name }

  /// Reads all files, and tells of the faults of all before it gives up.
  static func read(_ paths: [String], errors: Terminal) throws(ExitCode) -> [NamedProfile] {
    var profiles: [NamedProfile] = []
    for path in paths {
      let file = ProfileFile(path: path)
      do {
        let check = try file.check()
        for diagnostic in check.diagnostics { errors.print(DiagnosticText(terminal: errors).line(diagnostic)) }
        if let profile = check.profile { profiles.append(NamedProfile(profile: profile, name: file.name)) }
      } catch {
        errors.print("\(error)")
      }
    }
    guard profiles.count == paths.count else { throw ExitCode(1) }
    return profiles
  }
}
