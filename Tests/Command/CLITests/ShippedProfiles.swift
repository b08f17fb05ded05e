import TestSupport

/// The profiles of the folder `profiles`.
enum ShippedProfiles {
  static let folder = "\(ProjectFile.root)/profiles"

  /// The profiles of apps with services.
  static let peripherals = paths.filter { !$0.hasSuffix("/lock-remote.plist") }

  /// All of them, sorted.
  static let paths: [String] =
    (try? ProjectFile.names(in: "profiles").filter { $0.hasSuffix(".plist") }.map { "\(folder)/\($0)" }) ?? []
}
