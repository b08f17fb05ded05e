import TestSupport

/// The profiles of the folder `profiles`.
enum ShippedProfiles {
  static let folder = "\(ProjectFile.root)/profiles"

  /// All of them, sorted.
  static let paths: [String] = (try? ProjectFile.names(in: "profiles").map { "\(folder)/\($0)" }) ?? []
}
