/// R4: nothing of a foreground-only app is advertised in the background.
extension AdvertisementPlanner {
  static func silencedInBackground(_ advertisers: [Advertiser]) -> [PlanReason] {
    advertisers.filter { $0.isInBackground && !$0.hasBackgroundMode }.flatMap { advertiser in
      (advertiser.asked?.all ?? []).map { PlanReason(advertiser.app, $0, .dropped, .r4) }
    }
  }
}
