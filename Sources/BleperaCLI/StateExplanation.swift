import GATT
import Policy

/// What is on the air while the apps are in one state, and why.
struct StateExplanation: Equatable {
  let state: ExplainedState
  let rules: RuleSet
  let apps: [ExplainedApp]
  let plan: AdvertisementPlan
  let bits: [OverflowBitReport]
  /// What they see of an iPhone; none where nothing is on the air.
  let centrals: [CentralView]
  let answers: [AppAnswers]

  init(_ state: ExplainedState, _ apps: [ExplainedApp], _ rules: RuleSet) {
    self.state = state
    self.rules = rules
    self.apps = apps
    let policy = Self.policy(state, apps, rules)
    plan = policy.plan
    bits = OverflowBitReport.all(
      plan.overflow, names: Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0.identifier) }))
    centrals =
      plan.phone.map { phone in
        CentralView.all(of: [phone.advertisingData, phone.scanResponse], asked: Self.asked(apps))
      } ?? []
    answers = apps.map { AppAnswers($0, policy) }
  }

  /// Why nothing is on the air; nil where something is.
  var silence: String? {
    guard plan.phone == nil else { return nil }
    let advertisers = apps.filter { $0.fields != nil }
    if advertisers.isEmpty { return "Silent: no app advertises." }
    return advertisers.contains(where: \.description.hasBackgroundMode)
      ? "Silent: a local name alone is not advertised in the background (R2)."
      : "Silent: without bluetooth-peripheral nothing is advertised in the background (R4)."
  }

  /// The rules that had a part in it, in their order.
  var citedRules: [Rule] {
    var ids = Set(plan.reasons.map(\.rule)).union(
      answers.flatMap { $0.answers + ($0.laterAnswers ?? []) }.compactMap(\.rule))
    if plan.pace == .background { ids.insert(.r3) }
    if Set(plan.overflow.map(\.app)).count > 1 { ids.insert(.r11) }
    return RuleSet.rules.filter { ids.contains($0.id) }
  }

  func name(of id: AppID) -> String { apps.first { $0.id == id }?.identifier ?? "\(id.rawValue)" }

  /// Each UUID once, in the order of the apps.
  static func asked(_ apps: [ExplainedApp]) -> [BluetoothUUID] {
    var seen: Set<BluetoothUUID> = []
    return apps.flatMap { $0.fields?.serviceUUIDs ?? [] }.filter { seen.insert($0).inserted }
  }

  /// Every app starts in the foreground, one after the other, and then leaves it.
  private static func policy(_ state: ExplainedState, _ apps: [ExplainedApp], _ rules: RuleSet) -> Policy {
    var policy = Policy(rules: rules)
    var events: [Policy.Event] = [.radio(.on)]
    for app in apps {
      events.append(.launched(app.id, app.description, into: .foreground))
      if let fields = app.fields { events.append(.startAdvertising(app.id, fields)) }
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
