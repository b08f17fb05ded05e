package import BleperaBluetooth

/// Computes the phone's advertisement from the requests of its apps.
package enum AdvertisementPlanner {
  /// - Parameters:
  ///   - advertisers: in the order in which they started advertising.
  ///   - isHandoffNew: whether the phone has begun to send Handoff a moment ago.
  package static func plan(
    _ advertisers: [Advertiser], rules: RuleSet, radio: RadioAvailability = .open, isHandoffNew: Bool = false
  ) -> AdvertisementPlan {
    switch radio {
    case .open, .locked: break
    case .off: return .silent(because: silencedByPower(advertisers))
    case .beforeFirstUnlock: return .silent(because: silencedBeforeFirstUnlock(advertisers))
    }
    let foreground = advertisers.filter { ($0.state == .foreground || $0.state == .inactive) && $0.effective != nil }
    let background = advertisers.filter { $0.isInBackground && $0.hasBackgroundMode && $0.effective != nil }
    let moved = moveToOverflow(background)
    let packet = allocate(foreground, beside: moved, rules)
    let reasons =
      silencedInBackground(advertisers) + withheld(advertisers) + explain(packet, of: foreground, beside: moved, rules)
      + explainBackground(background)
    let overflow = packet.overflowing + moved
    let items = foreground.isEmpty ? rules.appleItems(isLocked: radio == .locked) : []
    guard !foreground.isEmpty || !overflow.isEmpty else {
      return .silent(
        because: reasons, own: own(items, rules, isHandoffNew: isHandoffNew), hasHandoff: items.hasHandoff)
    }
    let intervalKind: IntervalKind = foreground.isEmpty ? .background : .foreground
    let usual = interval(intervalKind, of: foreground.isEmpty ? background : foreground, rules)
    let handoff = items.hasHandoff ? interval(ofHandoff: isHandoffNew, rules) : usual
    let interval = handoff.minimum < usual.minimum ? handoff : usual
    let area = overflow.isEmpty ? nil : OverflowArea(overflow.map(\.uuid))
    let phone = phone(packet, area, beside: items, rules)
    return AdvertisementPlan(
      phone: phone, hasHandoff: items.hasHandoff, intervalKind: intervalKind, interval: interval, overflow: overflow,
      reasons: reasons)
  }

  /// The phone's own set, which Nearby Info begins.
  private static func own(_ items: [AppleItem], _ rules: RuleSet, isHandoffNew: Bool) -> OwnAdvertisement? {
    guard !items.isEmpty, !rules.ownItems.isEmpty else { return nil }
    return OwnAdvertisement(
      advertisingData: phone(ForegroundPacket(), nil, beside: items, rules).advertisingData,
      interval: items.hasHandoff ? interval(ofHandoff: isHandoffNew, rules) : rules.ownInterval.value)
  }

  /// All requested fields, each reported as not advertised.
  static func dropped(_ advertisers: [Advertiser], by rule: RuleID) -> [PlanReason] {
    advertisers.flatMap { advertiser in
      (advertiser.requested?.all ?? []).map {
        PlanReason(app: advertiser.app, field: $0, outcome: .dropped, rule: rule)
      }
    }
  }

  /// The packets with flags, UUID lists and name, the overflow area, and TX power if there is room.
  ///
  /// The overflow area is in the advertisement if that has only flags and TX power, otherwise in the scan response, as
  /// in every published capture (davidgyoung/ios-overflow-area, pagepinner, uynguyen, Herald, AltBeacon).
  private static func phone(
    _ packet: ForegroundPacket, _ area: OverflowArea?, beside items: [AppleItem], _ rules: RuleSet
  ) -> PhoneAdvertisement {
    let shown = packet.lists + (packet.nameInAdvertisement.map { [$0] } ?? [])
    let before = shown + (items.structure.map { [$0] } ?? [])
    let overflow = area.map { [$0.structure] } ?? []
    let content = before.isEmpty ? overflow : before
    let response = (before.isEmpty ? [] : overflow) + (packet.nameInScanResponse.map { [$0] } ?? [])
    let room = AdvertisingBudget.legacyMaximum - AdvertisingBudget.flagsLength - AdvertisingData(content).length
    let power = rules.txPowerLevel.value.map { ADStructure.txPowerLevel(Int8(clamping: $0)) }
    let shownPower = power.map { $0.length <= room ? [$0] : [] } ?? []
    let body = rules.txPowerPlace.value == .last ? content + shownPower : shownPower + content
    return PhoneAdvertisement(
      advertisingData: AdvertisingData([.flags(.iPhone)] + body), scanResponse: AdvertisingData(response),
      budgetUsed: AdvertisingData(shown).length, nameBudgetUsed: packet.nameInScanResponse?.length ?? 0,
      nameBudget: packet.nameBudget)
  }
}

extension [AppleItem] {
  var hasHandoff: Bool { contains { $0.type == AppleItem.handoff.type } }
}

/// The planner's view of a manager that has started advertising.
package struct Advertiser: Hashable, Sendable {
  package let app: AppID
  package let manager: ManagerID
  package let state: AppState
  /// Whether `UIBackgroundModes` has `bluetooth-peripheral`.
  package let hasBackgroundMode: Bool
  /// The last request; nil after the manager stopped advertising.
  package let requested: AdvertisementData?
  /// The advertisement in effect; differs from `requested` while R12 withholds the request.
  package let effective: AdvertisementData?
  package let overrides: RuleOverrides

  package init(
    app: AppID, manager: ManagerID = ManagerID(.peripheral, .number(0)), state: AppState, hasBackgroundMode: Bool,
    requested: AdvertisementData?, effective: AdvertisementData?, overrides: RuleOverrides = RuleOverrides()
  ) {
    self.app = app
    self.manager = manager
    self.state = state
    self.hasBackgroundMode = hasBackgroundMode
    self.requested = requested
    self.effective = effective
    self.overrides = overrides
  }

  /// Creates an advertiser whose request is in effect.
  package init(
    app: AppID, state: AppState, hasBackgroundMode: Bool, fields: AdvertisementData,
    overrides: RuleOverrides = RuleOverrides()
  ) {
    self.init(
      app: app, state: state, hasBackgroundMode: hasBackgroundMode, requested: fields, effective: fields,
      overrides: overrides)
  }

  /// Whether the app is in the background, as is the preserved advertisement of an app that does not run (R7).
  var isInBackground: Bool { state == .background || state == .suspended || state == .notRunning }
}

/// Whether the phone sends anything at all, and whether it is locked.
package enum RadioAvailability: String, Hashable, CaseIterable, Sendable {
  case open
  /// The screen is off.
  case locked
  /// The radio is not on (R14).
  case off
  /// The phone has been rebooted, and the screen has not been unlocked since (R15).
  case beforeFirstUnlock
}
