import AppLink
import Profile

extension AppRules {
  init(_ rules: Profile.Rules) {
    self.init(
      foregroundInterval: rules.foregroundInterval, backgroundInterval: rules.backgroundInterval,
      suspendedError: rules.suspendedError, disablesCachedValues: rules.disablesCachedValues)
  }
}
