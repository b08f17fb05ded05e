import BleperaBluetooth
import BleperaRules

/// The apps that the phone knows, running or preserved, and the links over which their messages arrive.
struct AppTable {
  private var records: [AppID: AppRecord] = [:]
  private var lastApp = 0
  /// The apps of the links that have sent a message; nil for an app that was refused.
  private var links: [Int: AppID?] = [:]
  private var lastLink = 0

  subscript(id: AppID) -> AppRecord? {
    get { records[id] }
    _modify { yield &records[id] }
  }

  /// In the order in which the phone has come to know them.
  var ids: [AppID] { records.keys.sorted() }
  var values: Dictionary<AppID, AppRecord>.Values { records.values }

  func id(of bundleIdentifier: String) -> AppID? {
    records.first { $0.value.identity.bundleIdentifier == bundleIdentifier }?.key
  }

  mutating func add(_ record: AppRecord) -> AppID {
    lastApp += 1
    let id = AppID(rawValue: lastApp)
    records[id] = record
    return id
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
    guard let app = links.removeValue(forKey: link) ?? nil, records[app]?.session == link else { return nil }
    return app
  }
}
