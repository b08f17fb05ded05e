import ArgumentParser
import BleperaBluetooth
import BleperaDiscovery
import BleperaProfile
import BleperaProfileApp
import BleperaRules

/// The state of the apps of a prediction.
enum PredictedState: String, CaseIterable, ExpressibleByArgument {
  case foreground
  case background
}

/// A phone that a scanner has to find: its packets, and how often they are sent.
struct PredictedPhone {
  /// An advertising interval in microseconds; without a basis for one that the user gives.
  typealias Interval = (interval: Int, basis: PredictionSubject.Basis?)

  /// Nil for an interval without an app.
  let app: PredictionSubject.App?
  /// Several where captures disagree.
  let intervals: [Interval]
  /// The maximum of the random delay, in microseconds.
  let delay: Int
  /// The lengths of the packets' data, in bytes.
  let (data, response): (Int, Int)
  let match: PredictionSubject.Match
  /// The packet that has what `match` asks for.
  let packet: DiscoverySetting.Match

  /// Creates a phone without an app, whose packets are full.
  ///
  /// - Parameter intervals: in microseconds.
  init(intervals: [Int], match: PredictionSubject.Match?) throws {
    guard match != .name else { throw ValidationError("'--match name' requires a profile, whose packets have a name.") }
    app = nil
    self.intervals = intervals.map { ($0, nil) }
    delay = 10_000
    (data, response) = (AdvertisingBudget.legacyMaximum, AdvertisingBudget.legacyMaximum)
    self.match = match ?? .advertisement
    packet = match == .response ? .response : .advertisement
  }

  /// Creates a phone with the apps of the profiles, which are all in that state.
  ///
  /// - Parameter given: the intervals of the user in microseconds, in place of the rules' interval.
  init(
    _ profiles: [NamedProfile], _ state: PredictedState, _ rules: RuleSet, given: [Int],
    match: PredictionSubject.Match?
  ) throws {
    let rules = rules.with(ownItems: [.nearbyInfo])
    let plan = Self.plan(profiles, state, rules)
    let sent = try Self.packets(plan, state, match)
    app = PredictionSubject.App(
      profiles: profiles.map { $0.profile.bundleIdentifier ?? $0.name }, state: state.rawValue,
      ios: rules.version.rawValue, overflowUUIDs: plan.overflow.map { "\($0.uuid)" })
    delay = Int(rules.advertisingDelay.value.maximum / .microseconds(1))
    (data, response) = (sent.advertisement.length, sent.response.length)
    (self.match, packet) = try Self.find(match, in: sent.advertisement, sent.response, state)
    intervals =
      given.isEmpty
      ? Self.intervals(plan.phone == nil ? rules.ownInterval : Self.interval(plan, profiles, rules))
      : given.map { ($0, nil) }
  }

  private static func plan(_ profiles: [NamedProfile], _ state: PredictedState, _ rules: RuleSet) -> AdvertisementPlan {
    let advertisers = profiles.enumerated().compactMap { index, one in
      one.profile.advertisement.map { fields in
        Advertiser(
          app: AppID(rawValue: index + 1), state: state == .foreground ? .foreground : .background,
          hasBackgroundMode: one.profile.backgroundModes.contains(Profile.peripheralBackgroundMode), fields: fields,
          overrides: one.profile.rules)
      }
    }
    return AdvertisementPlanner.plan(advertisers, rules: rules)
  }

  private static func packets(
    _ plan: AdvertisementPlan, _ state: PredictedState, _ match: PredictionSubject.Match?
  ) throws -> (advertisement: AdvertisingData, response: AdvertisingData) {
    if let phone = plan.phone { return (phone.advertisingData, phone.scanResponse) }
    if match == .presence, let own = plan.own { return (own.advertisingData, AdvertisingData()) }
    throw ValidationError(
      "In the \(state.rawValue) nothing of the apps is on the air, as 'blepera explain' says; give "
        + (state == .background ? "'--state foreground', or '--match presence' for" : "'--match presence' for")
        + " the packets of the phone itself.")
  }

  /// The interval of the plan, which a profile may have given.
  private static func interval(
    _ plan: AdvertisementPlan, _ profiles: [NamedProfile], _ rules: RuleSet
  ) -> Sourced<AdvertisingInterval> {
    func value(_ rules: RuleSet) -> Sourced<AdvertisingInterval> {
      plan.intervalKind == .foreground ? rules.foregroundInterval : rules.backgroundInterval
    }
    let own = profiles.map { value(rules.applying($0.profile.rules)) }
    return ([value(rules)] + own).first { $0.value == plan.interval } ?? value(rules)
  }

  private static func intervals(_ value: Sourced<AdvertisingInterval>) -> [Interval] {
    ([value] + value.alternatives).map {
      (Int(($0.value.minimum * 1000).rounded()), PredictionSubject.Basis($0.standing, $0.source))
    }
  }

  /// The packet with what the user looks for; without a wish the packet with the services of the apps, or else with
  /// their name.
  private static func find(
    _ match: PredictionSubject.Match?, in advertisement: AdvertisingData, _ response: AdvertisingData,
    _ state: PredictedState
  ) throws -> (PredictionSubject.Match, DiscoverySetting.Match) {
    func packet(where has: ([ADStructure]) -> Bool) -> DiscoverySetting.Match? {
      has(advertisement.structures) ? .advertisement : has(response.structures) ? .response : nil
    }
    let name = packet { AdvertisedContent($0).name != nil }
    switch match {
    case .advertisement, .presence: return (match ?? .presence, .advertisement)
    case .response:
      guard response.length > 0 else {
        throw ValidationError(
          "In the \(state.rawValue) the scan response is empty, so that nothing is found by it; leave out "
            + "'--match response'.")
      }
      return (.response, .response)
    case .name:
      guard let name else {
        throw ValidationError(
          "In the \(state.rawValue) the phone sends no name (R\(state == .background ? 2 : 1)); leave out "
            + "'--match name'\(state == .background ? ", or give '--state foreground'" : "").")
      }
      return (.name, name)
    case nil:
      let services = packet { !AdvertisedContent($0).serviceUUIDs.isEmpty || OverflowArea(in: $0) != nil }
      let wanted = services ?? name ?? .advertisement
      return (wanted == .response ? .response : .advertisement, wanted)
    }
  }
}

extension PredictionSubject.Basis {
  init(_ standing: Standing, _ source: String) { self.init(standing: standing.rawValue, source: source) }
}
