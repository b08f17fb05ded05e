import Profile

/// What `blepera check` says about one file.
struct CheckReport: Equatable {
  /// A line for each fault, or one that says why the file cannot be read.
  let faults: [String]
  /// What the profile holds; nil where it cannot be served.
  let summary: String?

  init(_ file: ProfileFile, colouredFor terminal: Terminal) {
    do {
      let check = try file.check()
      faults = check.diagnostics.map { DiagnosticText(terminal: terminal).line($0) }
      summary = check.profile.map { "\(file.path): \(Self.summary(of: $0))" }
    } catch {
      faults = ["\(error)"]
      summary = nil
    }
  }

  /// `no errors: 2 services, 5 characteristics`.
  private static func summary(of profile: Profile) -> String {
    let characteristics = profile.services.reduce(0) { $0 + $1.characteristics.count }
    func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
    return "no errors: \(counted(profile.services.count, "service")), \(counted(characteristics, "characteristic"))"
  }
}
