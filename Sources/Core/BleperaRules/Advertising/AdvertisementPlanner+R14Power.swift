/// R14: a radio that is off sends nothing.
extension AdvertisementPlanner {
  static func silencedByPower(_ advertisers: [Advertiser]) -> [PlanReason] { dropped(advertisers, by: .r14) }
}
