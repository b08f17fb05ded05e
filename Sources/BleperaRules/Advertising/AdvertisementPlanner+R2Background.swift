import BleperaBluetooth

/// R2, and R11 for several background apps: every service UUID sets a bit, and no local name is advertised.
extension AdvertisementPlanner {
  static func hide(_ behind: [Advertiser]) -> [OverflowEntry] {
    behind.flatMap { advertiser in
      fields(advertiser).compactMap { field in
        guard case .serviceUUID(let uuid) = field else { return nil }
        return OverflowEntry(app: advertiser.app, uuid: uuid)
      }
    }
  }

  static func explainHidden(_ behind: [Advertiser]) -> [PlanReason] {
    behind.flatMap { advertiser in
      fields(advertiser).map { field in
        switch field {
        case .serviceUUID(let uuid):
          PlanReason(advertiser.app, field, .movedToOverflow(bit: OverflowArea.bit(of: uuid)), .r2)
        case .localName: PlanReason(advertiser.app, field, .dropped, .r2)
        }
      }
    }
  }

  private static func fields(_ advertiser: Advertiser) -> [AdvertisedField] { advertiser.effective?.all ?? [] }
}
