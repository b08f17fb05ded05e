/// R15: between a reboot and the first unlock no app may run, and nothing is sent.
extension AdvertisementPlanner {
  static func silencedBeforeFirstUnlock(_ advertisers: [Advertiser]) -> [PlanReason] { dropped(advertisers, by: .r15) }
}
