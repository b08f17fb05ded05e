/// The keys of `Rules`.
extension SchemaKey {
  static let foregroundInterval = Self(
    "ForegroundInterval", .number, "milliseconds between advertisements in the foreground, 20 to 10240")
  static let backgroundInterval = Self(
    "BackgroundInterval", .number, "milliseconds between advertisements in the background, 20 to 10240")
  static let suspendedError = Self(
    "SuspendedError", .attError, "what reads and writes get from an app that is suspended and is not woken for them")
  static let disablesCachedValues = Self(
    "DisablesCachedValues", .boolean, "whether reads of cached values get that error too")
}
