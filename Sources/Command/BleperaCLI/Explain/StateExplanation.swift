import BleperaBlueZ
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import BleperaSessions

/// The packets on the air while the apps are in a state, and the reasons for them.
struct StateExplanation: Equatable {
  let state: ExplainedState
  let rules: RuleSet
  /// The bluetoothd that sends packets in place of an iPhone; nil for a controller, which sends an iPhone's packets.
  let daemon: BluetoothDaemon?
  /// Whether the kernel sends BlueZ's packets, as with `--exact`.
  let isExact: Bool
  let apps: [ExplainedApp]
  let plan: AdvertisementPlan
  let bits: [OverflowBitReport]
  /// The discoveries of an iPhone by each kind of central; empty while nothing is on the air.
  let centrals: [CentralView]
  let responses: [AppResponses]
  /// The receptions of the apps in the central role.
  let receptions: [AppReceptions]

  init(
    _ state: ExplainedState, _ apps: [ExplainedApp], _ rules: RuleSet, _ daemon: BluetoothDaemon?, isExact: Bool = false
  ) {
    self.state = state
    self.rules = rules
    self.daemon = daemon
    self.isExact = isExact
    self.apps = apps
    let policy = Self.policy(state, apps, rules)
    plan = policy.plan
    bits = OverflowBitReport.all(
      plan.overflow, names: Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0.identifier) }))
    centrals =
      plan.phone.map { phone in
        CentralView.all(of: [phone.advertisingData, phone.scanResponse], requested: Self.requestedServices(apps))
      } ?? []
    responses = apps.filter(\.isPeripheral).map { AppResponses($0, policy) }
    receptions = apps.compactMap { AppReceptions($0, in: state, policy) }
  }

  /// The reason that nothing of an app is on the air.
  enum Silence: Equatable {
    case noAdvertiser
    /// A local name alone is not advertised in the background (R2).
    case nameAlone
    /// An app without the background mode is not advertised in the background (R4).
    case noBackgroundMode
  }

  /// The reason that nothing of an app is on the air; nil if something is.
  var silence: Silence? {
    guard plan.phone == nil else { return nil }
    let advertisers = apps.filter { $0.fields != nil }
    if advertisers.isEmpty { return .noAdvertiser }
    return advertisers.contains(where: \.identity.hasBackgroundMode) ? .nameAlone : .noBackgroundMode
  }

  /// The reason that nothing of an app is on the air, in sentences; nil if something is.
  var suppression: String? {
    let reason: String? =
      switch silence {
      case .noAdvertiser: "no app advertises."
      case .nameAlone: "a local name alone is not advertised in the background (R2)."
      case .noBackgroundMode: "an app without bluetooth-peripheral is not advertised in the background (R4)."
      case nil: nil
      }
    let own = plan.own.map { " The phone itself sends Nearby Info, every \($0.interval)." }
    return reason.map { "Nothing of an app is on the air: \($0)\(own ?? "")" }
  }

  var citedRules: [Rule] {
    var ids = Set(plan.reasons.map(\.rule)).union(
      responses.flatMap { $0.responses + ($0.laterResponses ?? []) }.compactMap(\.rule) + receptions.flatMap(\.rules))
    if plan.intervalKind == .background { ids.insert(.r3) }
    if Set(plan.overflow.map(\.app)).count > 1 { ids.insert(.r11) }
    return RuleSet.rules.filter { ids.contains($0.id) }
  }

  func name(of id: AppID) -> String { apps.first { $0.id == id }?.identifier ?? "\(id.rawValue)" }

  /// The services that the apps advertise, without duplicates.
  static func requestedServices(_ apps: [ExplainedApp]) -> [BluetoothUUID] {
    var seen: Set<BluetoothUUID> = []
    return apps.flatMap { $0.fields?.serviceUUIDs ?? [] }.filter { seen.insert($0).inserted }
  }

  /// The rules' state after every app was launched in the foreground, one after the other, and has changed its state.
  private static func policy(_ state: ExplainedState, _ apps: [ExplainedApp], _ rules: RuleSet) -> Policy {
    var policy = Policy(rules: rules)
    var events: [Policy.Event] = [.radio(.on)]
    for app in apps {
      events.append(.launched(app.id, app.identity, into: .foreground))
      events += [app.manager, app.central?.manager].compactMap(\.self).map { .managerCreated(app.id, $0) }
      if let fields = app.fields, let manager = app.manager {
        events.append(.startAdvertising(app.id, fields, by: manager))
      }
    }
    switch state {
    case .foreground: break
    case .background: events += apps.map { .toBackground($0.id) }
    case .suspended: events += apps.map { .suspend($0.id) }
    }
    for event in events { _ = policy.handle(event, at: .zero) }
    return policy
  }
}

extension StateExplanation {
  private var packets: RadioAdvertisement? {
    // Only `--exact` and a controller send the phone's own packets: bluetoothd cannot.
    if isExact || daemon == nil, let own = plan.own {
      return RadioAdvertisement(
        advertisingData: own.advertisingData, scanResponse: AdvertisingData([]), interval: own.interval)
    }
    guard let phone = plan.phone, let interval = plan.interval else { return nil }
    return RadioAdvertisement(
      advertisingData: phone.advertisingData, scanResponse: phone.scanResponse, interval: interval)
  }

  /// The packets that BlueZ or a controller sends: one or two advertisements of bluetoothd, or with `--exact` and over
  /// a controller those of the iPhone.
  var bluez: [RadioPacket] {
    guard let packets else { return [] }
    guard let daemon, !isExact else {
      return [
        RadioPacket(
          advertisingData: packets.advertisingData, scanResponse: packets.scanResponse, interval: packets.interval,
          isOnAir: true)
      ]
    }
    return AdvertisementContent.contents(for: packets, takesScanResponses: daemon.takesScanResponses).map { content in
      let interval = daemon.honorsIntervals == false ? .ofBluetoothd : content.interval
      return RadioPacket(
        advertisingData: content.advertisingData, scanResponse: content.scanResponse,
        interval: interval.flatMap {
          AdvertisingInterval(minimum: Double($0.minimum), maximum: Double($0.maximum))
        }, isOnAir: true)
    }
  }

  /// The differences between bluetoothd's packets and an iPhone's.
  var limitations: [RadioLimitation] {
    daemon.map { daemon in
      BlueZLimitation.advertising(
        packets, daemon: daemon.version, honorsIntervals: daemon.honorsIntervals,
        takesScanResponses: daemon.takesScanResponses, isExact: isExact)
    } ?? []
  }
}

extension StateExplanation: Encodable {
  private enum CodingKeys: CodingKey {
    case state, suppression, interval, iphone, own, bluez, controller, overflowArea, centrals, responses, receptions,
      reasons,
      limitations
  }

  private struct Interval: Encodable {
    let minimum: Double
    let maximum: Double

    init(_ interval: AdvertisingInterval) {
      minimum = interval.minimum
      maximum = interval.maximum
    }
  }

  private struct Phone: Encodable {
    let advertisingData: PacketReport
    let scanResponse: PacketReport
    let budgetUsed: Int
    let budget: Int
    let nameBudgetUsed: Int
    let nameBudget: Int
  }

  private struct Sent: Encodable {
    let advertisingData: PacketReport
    let scanResponse: PacketReport
    let interval: Interval?
  }

  private struct Overflow: Encodable {
    let mask: String
    let bits: [OverflowBitReport]
  }

  private struct Reason: Encodable {
    let app: String
    let field: String
    let outcome: String
    let rule: String
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(state, forKey: .state)
    try container.encodeIfPresent(suppression, forKey: .suppression)
    try container.encodeIfPresent(
      plan.interval.map(Interval.init), forKey: .interval)
    try container.encodeIfPresent(plan.phone.map(phone), forKey: .iphone)
    try container.encodeIfPresent(
      plan.own.map { own in
        Sent(
          advertisingData: PacketReport(own.advertisingData), scanResponse: PacketReport(AdvertisingData([])),
          interval: Interval(own.interval))
      }, forKey: .own)
    try container.encode(bluez.map(Self.bluez), forKey: daemon == nil ? .controller : .bluez)
    if !bits.isEmpty {
      try container.encode(Overflow(mask: Hex.string(plan.overflowArea.bytes), bits: bits), forKey: .overflowArea)
    }
    try container.encode(centrals, forKey: .centrals)
    try container.encode(responses, forKey: .responses)
    if !receptions.isEmpty { try container.encode(receptions, forKey: .receptions) }
    let reasons = plan.reasons.map { reason in
      Reason(app: name(of: reason.app), field: "\(reason.field)", outcome: "\(reason.outcome)", rule: "\(reason.rule)")
    }
    try container.encode(reasons, forKey: .reasons)
    try container.encode(limitations, forKey: .limitations)
  }

  private func phone(_ phone: PhoneAdvertisement) -> Phone {
    Phone(
      advertisingData: PacketReport(phone.advertisingData), scanResponse: PacketReport(phone.scanResponse),
      budgetUsed: phone.budgetUsed, budget: rules.foregroundBudget.value, nameBudgetUsed: phone.nameBudgetUsed,
      nameBudget: phone.nameBudget)
  }

  private static func bluez(_ packet: RadioPacket) -> Sent {
    Sent(
      advertisingData: PacketReport(packet.advertisingData), scanResponse: PacketReport(packet.scanResponse),
      interval: packet.interval.map(Interval.init))
  }
}
