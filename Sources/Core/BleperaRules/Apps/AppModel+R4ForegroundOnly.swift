/// R4: without `bluetooth-peripheral` the app is suspended shortly after it moves to the background, and only the user
/// moves it to the foreground again.
///
/// `AdvertisementPlanner.silencedInBackground` stops its advertising, and `App.receive` refuses its requests.
extension AppModel {
  func refuseInBackground(_ request: EventID) -> Policy.Action {
    .refuse(id, request, rules.suspendedError.value, .r4)
  }

  /// Suspends the app even where a request is pending.
  mutating func endForegroundOnlyGrace() -> [Policy.Action] { suspend(.gracePeriodExpired) }
}
