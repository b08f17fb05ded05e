import BleperaBluetooth

/// R1, and R11 for several foreground apps: service UUIDs in start order, then the first local name, share the budget.
extension AdvertisementPlanner {
  static func share(_ front: [Advertiser], beside hidden: [OverflowEntry], _ rules: RuleSet) -> ForegroundPacket {
    var packet = ForegroundPacket()
    var owners: [BluetoothUUID: AppID] = [:]
    var requested: [BluetoothUUID] = []
    for advertiser in front {
      for uuid in advertiser.effective?.serviceUUIDs ?? [] {
        if owners[uuid] == nil {
          owners[uuid] = advertiser.app
          requested.append(uuid)
        } else {
          packet.repeated.append(OverflowEntry(app: advertiser.app, uuid: uuid))
        }
      }
    }
    let fit =
      switch rules.overflowOrder.value {
      case .firstFit: AdvertisingBudget.fit(serviceUUIDs: requested, into: rules.foregroundBudget.value)
      }
    packet.listed = fit.fitting
    packet.overflowing = fit.overflowing.compactMap { uuid in
      owners[uuid].map { OverflowEntry(app: $0, uuid: uuid) }
    }
    let hasOverflow = !packet.overflowing.isEmpty || !hidden.isEmpty
    packet.nameBudget = (hasOverflow ? rules.scanResponseNameBudget : rules.emptyScanResponseNameBudget).value
    for advertiser in front {
      guard packet.name == nil, let name = advertiser.effective?.effectiveName else { continue }
      packet.name = place(name, of: advertiser.app, beside: fit.fitting, outside: packet.nameBudget, rules)
    }
    return packet
  }

  /// Uses the advertisement, unless the scan response has room for more of the name.
  private static func place(
    _ name: String, of app: AppID, beside uuids: [BluetoothUUID], outside budget: Int, _ rules: RuleSet
  ) -> ForegroundPacket.Name? {
    let room = rules.foregroundBudget.value - AdvertisingBudget.length(of: uuids)
    let inside = AdvertisingBudget.fit(localName: name, into: room)
    let least = AdvertisingBudget.fit(localName: name, into: rules.scanResponseNameBudget.value)
    if let inside, inside.length >= least?.length ?? 0 {
      return ForegroundPacket.Name(app: app, structure: inside, isInScanResponse: false)
    }
    return AdvertisingBudget.fit(localName: name, into: budget).map {
      ForegroundPacket.Name(app: app, structure: $0, isInScanResponse: true)
    }
  }

  /// The outcome of each field; the rule is R11 where the outcome would differ if the app advertised alone.
  static func explain(
    _ packet: ForegroundPacket, of front: [Advertiser], beside hidden: [OverflowEntry], _ rules: RuleSet
  ) -> [PlanReason] {
    front.flatMap { advertiser -> [PlanReason] in
      let fates = fates(packet, of: advertiser)
      guard !fates.isEmpty else { return [] }
      guard front.count > 1 else { return fates.map { PlanReason(advertiser.app, $0.field, $0.fate, .r1) } }
      let alone = self.fates(share([advertiser], beside: hidden, rules), of: advertiser)
      return fates.map { fate in
        let isSame = alone.contains { $0 == fate }
        return PlanReason(advertiser.app, fate.field, fate.fate, isSame ? .r1 : .r11)
      }
    }
  }

  private static func fates(
    _ packet: ForegroundPacket, of advertiser: Advertiser
  ) -> [(field: AdvertisedField, fate: PlanReason.Fate)] {
    let app = advertiser.app
    var fates: [(field: AdvertisedField, fate: PlanReason.Fate)] = packet.overflowing.filter { $0.app == app }
      .map { (.serviceUUID($0.uuid), .movedToOverflow(bit: $0.bit)) }
    fates += packet.repeated.filter { $0.app == app }.map { (.serviceUUID($0.uuid), .merged) }
    guard let name = advertiser.effective?.effectiveName else { return fates }
    guard let placed = packet.name, placed.app == app else { return fates + [(.localName(name), .dropped)] }
    if placed.text.utf8.count < name.utf8.count { fates.append((.localName(name), .shortened(to: placed.text))) }
    if placed.isInScanResponse { fates.append((.localName(name), .movedToScanResponse)) }
    return fates
  }
}
