import BleperaProfile
import BleperaPropertyLists

extension FuzzTarget {
  /// A profile, which `check` reads. A phone serves a valid profile, and a central uses its services.
  static let profile = FuzzTarget("profile") { bytes in
    let check = Profile.check(bytes, file: "input.plist")
    requireOrder(of: check.diagnostics)
    let hasErrors = check.diagnostics.contains { $0.severity == .error }
    require((check.profile == nil) == hasErrors, "a profile without errors is a profile")
    guard let profile = check.profile else { return }
    let phone = FuzzedPhone()
    phone.serve(profile)
    phone.useEverything()
    phone.check()
  }
}
