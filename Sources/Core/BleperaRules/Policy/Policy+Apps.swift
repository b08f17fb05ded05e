import BleperaBluetooth

/// Finding and changing apps.
extension Policy {
  func app(_ id: AppID) -> AppModel? { apps.index(of: id).map { apps[$0] } }

  /// Returns no actions where there is no such app.
  mutating func change(_ id: AppID, _ body: (inout AppModel) -> [Action]) -> [Action] {
    guard let index = apps.index(of: id) else { return [] }
    return body(&apps[index])
  }

  /// Changes the apps in the order of their numbers.
  mutating func changeAll(_ body: (inout AppModel) -> [Action]) -> [Action] {
    apps.indices.flatMap { body(&apps[$0]) }
  }
}

// These functions access each app in place, because copies cost.
extension [AppModel] {
  /// The apps are in the order of their numbers.
  func index(of id: AppID) -> Int? {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < endIndex && self[low].id == id ? low : nil
  }

  /// The app with the earliest deadline, and the time of that deadline.
  func nextDue(_ phone: PhoneState) -> (index: Int, time: Duration)? {
    var next: (index: Int, time: Duration)?
    for index in indices {
      guard let time = self[index].due(phone) else { continue }
      if let earliest = next, earliest.time <= time { continue }
      next = (index, time)
    }
    return next
  }

  /// The managers with a requested or effective advertisement, in order of start.
  var advertisers: [Advertiser] {
    var orders: [Int] = []
    var advertisers: [Advertiser] = []
    for index in indices {
      for manager in self[index].managers where manager.requested != nil || manager.effective != nil {
        let place = orders.firstIndex { $0 > manager.startOrder } ?? orders.endIndex
        orders.insert(manager.startOrder, at: place)
        advertisers.insert(self[index].advertiser(manager), at: place)
      }
    }
    return advertisers
  }
}

extension AppModel {
  fileprivate func advertiser(_ manager: Manager) -> Advertiser {
    Advertiser(
      app: id, manager: manager.id, state: state, hasBackgroundMode: hasBackgroundMode, requested: manager.requested,
      effective: manager.effective, overrides: identity.rules)
  }
}
