/// R4: a foreground-only app is not advertised in the background.
extension AdvertisementPlanner {
  static func silencedInBackground(_ advertisers: [Advertiser]) -> [PlanReason] {
    dropped(advertisers.filter { $0.isInBackground && !$0.hasBackgroundMode }, by: .r4)
  }
}
