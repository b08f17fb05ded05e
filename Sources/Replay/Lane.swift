import EventTrace

/// Events that come one after the other; what comes of different lanes may come in any order.
enum Lane: Hashable {
  case radio(phone: Int)
  case air(phone: Int)
  case app(phone: Int, String)
  case publishing(phone: Int, String)
  case central(phone: Int, String)
  case values(ValueKey)

  /// Nil for what is not compared.
  init?(_ moment: Moment) {
    let (record, phone) = (moment.record, moment.phone)
    switch record.event {
    case "poweredOn", "poweredOff", "noAdapter", "noDaemon": self = .radio(phone: phone)
    case "advertising", "silent", "advertisingStopped": self = .air(phone: phone)
    case "published", "publishingFailed", "unpublished": self = .publishing(phone: phone, record.app ?? "")
    case "state", "queued", "dropped", "terminated", "preserved", "relaunching", "relaunchFailed", "relaunchGivenUp",
      "ended", "advertisingWithheld":
      self = .app(phone: phone, record.app ?? "")
    case "connected", "disconnected", "paired", "pairingRefused", "subscribed", "unsubscribed", "read", "write":
      self = .central(phone: phone, record.central ?? "")
    case "notified": self = .values(ValueKey(moment))
    default: return nil
    }
  }
}

extension Lane {
  /// Whether timers move it on, and not what centrals do alone.
  var goesOnByItself: Bool {
    switch self {
    case .app, .values: true
    case .radio, .air, .publishing, .central: false
    }
  }
}

/// A characteristic whose values are sent.
package struct ValueKey: Hashable, Sendable {
  package let phone: Int
  package let app: String
  package let service: String
  package let characteristic: String

  package init(phone: Int, app: String, service: String, characteristic: String) {
    self.phone = phone
    self.app = app
    self.service = service
    self.characteristic = characteristic
  }

  init(_ moment: Moment) {
    self.init(
      phone: moment.phone, app: moment.record.app ?? "", service: moment.record.service ?? "",
      characteristic: moment.record.characteristic ?? "")
  }
}

extension Moment {
  /// What of it is compared.
  var essence: EventRecord {
    var record = record
    record.time = ""
    record.side = nil
    record.phone = nil
    record.adapter = nil
    record.took = nil
    record.heeded = nil
    record.centrals = nil
    // Where a service stands depends on what was published before.
    record.handles = record.handles.flatMap { $0.count == 2 ? [$0[1] - $0[0]] : $0 }
    if ["noAdapter", "noDaemon"].contains(record.event) { record.event = "poweredOff" }
    return record
  }

  /// - Parameter actual: what happens now, with its alternatives.
  func matches(_ actual: Moment) -> Bool {
    if essence == actual.essence { return true }
    guard let value = record.value, actual.alternatives.contains(value) else { return false }
    var other = actual.essence
    other.value = value
    return essence == other
  }
}
