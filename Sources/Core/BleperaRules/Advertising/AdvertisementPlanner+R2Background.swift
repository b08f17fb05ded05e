import BleperaBluetooth

/// R2, and R11 for several background apps: every service UUID sets a bit, and no local name is advertised.
extension AdvertisementPlanner {
  static func moveToOverflow(_ background: [Advertiser]) -> [OverflowEntry] {
    background.flatMap { advertiser in
      (advertiser.effective?.uniqueServiceUUIDs ?? []).map { OverflowEntry(app: advertiser.app, uuid: $0) }
    }
  }

  static func explainBackground(_ background: [Advertiser]) -> [PlanReason] {
    background.flatMap { advertiser in
      (advertiser.effective?.all ?? []).map { field in
        switch field {
        case .serviceUUID(let uuid):
          PlanReason(
            app: advertiser.app, field: field, outcome: .movedToOverflow(bit: OverflowArea.bit(of: uuid)), rule: .r2)
        case .localName: PlanReason(app: advertiser.app, field: field, outcome: .dropped, rule: .r2)
        }
      }
    }
  }
}
