import AppLink
import GATT
import Policy

extension AppDescription {
  init(_ identity: AppIdentity) {
    self.init(
      name: identity.name, hasBackgroundMode: identity.backgroundModes.contains("bluetooth-peripheral"),
      isRestorable: identity.restoreIdentifier != nil, usesAccessorySetup: identity.usesAccessorySetup,
      overrides: RuleOverrides(
        foregroundMilliseconds: identity.rules.foregroundInterval,
        backgroundMilliseconds: identity.rules.backgroundInterval, suspendedError: identity.rules.suspendedError,
        disablesCachedValues: identity.rules.disablesCachedValues))
  }
}
