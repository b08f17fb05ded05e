import BleperaBluetooth

/// R1, and R11 for several foreground apps: service UUIDs in start order, then the first local name, share the budget.
extension AdvertisementPlanner {
  static func allocate(_ foreground: [Advertiser], beside moved: [OverflowEntry], _ rules: RuleSet) -> ForegroundPacket
  {
    var packet = ForegroundPacket()
    var owners: [BluetoothUUID: AppID] = [:]
    var requested: [BluetoothUUID] = []
    for advertiser in foreground {
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
    let hasOverflow = !packet.overflowing.isEmpty || !moved.isEmpty
    packet.nameBudget = (hasOverflow ? rules.scanResponseNameBudget : rules.emptyScanResponseNameBudget).value
    for advertiser in foreground {
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
    _ packet: ForegroundPacket, of foreground: [Advertiser], beside moved: [OverflowEntry], _ rules: RuleSet
  ) -> [PlanReason] {
    foreground.flatMap { advertiser -> [PlanReason] in
      let outcomes = outcomes(packet, of: advertiser)
      guard !outcomes.isEmpty else { return [] }
      guard foreground.count > 1 else {
        return outcomes.map { PlanReason(app: advertiser.app, field: $0.field, outcome: $0.outcome, rule: .r1) }
      }
      let alone = self.outcomes(allocate([advertiser], beside: moved, rules), of: advertiser)
      return outcomes.map { outcome in
        let isSame = alone.contains { $0 == outcome }
        return PlanReason(
          app: advertiser.app, field: outcome.field, outcome: outcome.outcome, rule: isSame ? .r1 : .r11)
      }
    }
  }

  private static func outcomes(
    _ packet: ForegroundPacket, of advertiser: Advertiser
  ) -> [(field: AdvertisedField, outcome: PlanReason.Outcome)] {
    let app = advertiser.app
    var outcomes: [(field: AdvertisedField, outcome: PlanReason.Outcome)] = packet.overflowing.filter { $0.app == app }
      .map { (.serviceUUID($0.uuid), .movedToOverflow(bit: $0.bit)) }
    outcomes += packet.repeated.filter { $0.app == app }.map { (.serviceUUID($0.uuid), .merged) }
    guard let name = advertiser.effective?.effectiveName else { return outcomes }
    guard let placed = packet.name, placed.app == app else { return outcomes + [(.localName(name), .dropped)] }
    if placed.text.utf8.count < name.utf8.count { outcomes.append((.localName(name), .shortened(to: placed.text))) }
    if placed.isInScanResponse { outcomes.append((.localName(name), .movedToScanResponse)) }
    return outcomes
  }
}

/// The advertised fields of foreground apps.
struct ForegroundPacket: Hashable {
  struct Name: Hashable {
    let app: AppID
    let structure: ADStructure
    let isInScanResponse: Bool

    var text: String { structure.localName ?? "" }
  }

  var listed: [BluetoothUUID] = []
  var overflowing: [OverflowEntry] = []
  /// Repeated UUIDs, of the same app or of another app.
  var repeated: [OverflowEntry] = []
  var name: Name?
  /// Bytes of the scan response that the name may take, including the AD header.
  var nameBudget = 0

  /// The service UUID lists that an iPhone sends; a list is incomplete where UUIDs of its width overflow.
  var lists: [ADStructure] {
    let incomplete = Set(overflowing.map(\.uuid.width))
    return UUIDList.lists(of: listed).map { .serviceUUIDs($0, complete: !incomplete.contains($0.width)) }
  }

  var nameInAdvertisement: ADStructure? { name.flatMap { $0.isInScanResponse ? nil : $0.structure } }
  var nameInScanResponse: ADStructure? { name.flatMap { $0.isInScanResponse ? $0.structure : nil } }
}
