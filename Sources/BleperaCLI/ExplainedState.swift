import ArgumentParser

/// Where the apps are for which `blepera explain` says what is on the air.
enum ExplainedState: String, CaseIterable, Encodable, ExpressibleByArgument {
  case foreground
  case background
  /// In the background, when the time that an app has there is over.
  case suspended
}
