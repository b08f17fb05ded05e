import BleperaBluetooth
import BleperaRules

/// The apps that the phone knows, running or preserved, and the links over which their messages arrive.
struct AppTable {
  /// The records by the apps' numbers, from 1; nil for removed apps.
  private var records: [AppRecord?] = []
  /// The apps of the links that have sent a message; nil for an app that was refused.
  private var links: [Int: AppID?] = [:]
  private var lastLink = 0

  subscript(id: AppID) -> AppRecord? {
    get { records.indices.contains(id.rawValue - 1) ? records[id.rawValue - 1] : nil }
    set { records[id.rawValue - 1] = newValue }
  }

  /// In the order in which the phone has come to know them.
  var ids: [AppID] { records.indices.filter { records[$0] != nil }.map { AppID(rawValue: $0 + 1) } }
  var values: [AppRecord] { records.compactMap(\.self) }

  func id(of bundleIdentifier: String) -> AppID? {
    records.firstIndex { $0?.identity.bundleIdentifier == bundleIdentifier }.map { AppID(rawValue: $0 + 1) }
  }

  mutating func add(_ record: AppRecord) -> AppID {
    records.append(record)
    return AppID(rawValue: records.count)
  }

  // MARK: Links

  /// Returns the number of a new link (`AppRecord.session`).
  mutating func addLink() -> Int {
    lastLink += 1
    return lastLink
  }

  /// The app of a link, which is nil for an app that was refused; nil before the first message.
  func app(ofLink link: Int) -> AppID?? { links[link] }

  mutating func setApp(_ app: AppID?, ofLink link: Int) { links[link] = .some(app) }

  /// Returns the app whose last link has ended.
  mutating func removeLink(_ link: Int) -> AppID? {
    guard let app = links.removeValue(forKey: link) ?? nil, self[app]?.session == link else { return nil }
    return app
  }
}
