/// R14: a radio that is off sends nothing.
extension AdvertisementPlanner {
  static func silencedByPower(_ advertisers: [Advertiser]) -> [PlanReason] {
    advertisers.flatMap { advertiser in
      (advertiser.asked?.all ?? []).map { PlanReason(advertiser.app, $0, .dropped, .r14) }
    }
  }
}
