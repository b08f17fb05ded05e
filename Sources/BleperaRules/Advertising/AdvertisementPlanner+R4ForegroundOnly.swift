/// R4: nothing of a foreground-only app is advertised in the background.
extension AdvertisementPlanner {
  static func silencedInBackground(_ advertisers: [Advertiser]) -> [PlanReason] {
    dropped(advertisers.filter { $0.isInBackground && !$0.hasBackgroundMode }, by: .r4)
  }
}
