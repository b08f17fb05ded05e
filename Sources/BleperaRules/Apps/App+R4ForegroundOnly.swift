/// R4: without the mode the app is suspended shortly after it has left, and nothing but the user brings it back.
///
/// That nothing of it is advertised is `AdvertisementPlanner.silencedInBackground`; that its events wait is
/// `App.receive`.
extension App {
  func refuseWhileSuspended(_ request: EventID) -> Policy.Action {
    .refuse(id, request, rules.suspendedError.value, .r4)
  }

  /// Its time is over whether it has answered or not.
  mutating func endForegroundOnlyGrace() -> [Policy.Action] { suspend(.graceOver) }
}
