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
    (delay, data, response) = (10_000, AdvertisingBudget.legacyMaximum, AdvertisingBudget.legacyMaximum)
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
    let own = match == .presence ? plan.own.map { ($0.advertisingData, AdvertisingData()) } : nil
    guard let (advertisement, scanResponse) = plan.phone.map({ ($0.advertisingData, $0.scanResponse) }) ?? own else {
      throw ValidationError(
        "No app is on the air in the \(state.rawValue), as 'blepera explain' says; choose another '--state', or "
          + "'--match presence' for the packets of the phone itself.")
    }
    app = PredictionSubject.App(
      profiles: profiles.map { $0.profile.bundleIdentifier ?? $0.name }, state: state.rawValue,
      ios: rules.version.rawValue, overflowUUIDs: plan.overflow.map { "\($0.uuid)" })
    delay = Int(rules.advertisingDelay.value.maximum / .microseconds(1))
    (data, response) = (advertisement.length, scanResponse.length)
    (self.match, packet) = try Self.find(match, in: advertisement, scanResponse, state)
    intervals = given.isEmpty ? Self.intervals(plan, profiles, rules) : given.map { ($0, nil) }
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

  /// The interval of the plan, which a profile may have given, and those of other captures.
  private static func intervals(
    _ plan: AdvertisementPlan, _ profiles: [NamedProfile], _ rules: RuleSet
  ) -> [Interval] {
    let kind: KeyPath<RuleSet, Sourced<AdvertisingInterval>> =
      switch plan.intervalKind {
      case .foreground: \.foregroundInterval
      case .background: \.backgroundInterval
      case nil: \.ownInterval
      }
    let all = ([rules] + profiles.map { rules.applying($0.profile.rules) }).map { $0[keyPath: kind] }
    let value = all.first { $0.value == plan.interval } ?? all[0]
    return ([value] + value.alternatives).map {
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
      if response.length > 0 { return (.response, .response) }
      throw ValidationError("The scan response in the \(state.rawValue) is empty; leave out '--match response'.")
    case .name:
      if let name { return (.name, name) }
      throw ValidationError("The phone sends no name in the \(state.rawValue); leave out '--match name' or that state.")
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
