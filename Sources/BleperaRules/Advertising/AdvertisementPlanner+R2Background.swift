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
          PlanReason(advertiser.app, field, .movedToOverflow(bit: OverflowArea.bit(of: uuid)), .r2)
        case .localName: PlanReason(advertiser.app, field, .dropped, .r2)
        }
      }
    }
  }
}
