import Profile

/// Profiles that are served or explained together.
struct ProfileFiles: Equatable {
  /// What `blepera check` says against them, line by line.
  let faults: [String]
  /// In the order of the files; nil where one of them has an error.
  let profiles: [NamedProfile]?

  init(_ paths: [String], colouredFor terminal: Terminal) {
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
}
