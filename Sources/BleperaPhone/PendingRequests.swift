import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// What waits for apps: messages until they are delivered, requests until they are answered. One number identifies an
/// entry to the rules (`EventID`) and to the app (`RequestID`).
struct PendingRequests {
  /// A read or a write of a central, put to an app.
  struct Request {
    let app: AppID
    let request: AttributeRequest
    let name: AttributeName
    /// What is written; nil for a read.
    let value: [UInt8]?
    /// The phone's time at its arrival.
    let since: Duration
    /// Nil once the app has it.
    fileprivate(set) var message: PhoneMessage?
    /// Whether the central has been refused meanwhile; the app still owes its answer.
    fileprivate(set) var isRefused = false
  }

  private enum Entry {
    case message(PhoneMessage)
    case request(Request)
  }

  private var entries: [EventID: Entry] = [:]
  private var lastNumber = 0

  /// Adds a message that needs no answer.
  mutating func add(_ message: PhoneMessage) -> EventID {
    lastNumber += 1
    let id = EventID(rawValue: lastNumber)
    entries[id] = .message(message)
    return id
  }

  /// Adds a request; `message` is given the number that the app answers with.
  mutating func add(
    _ request: AttributeRequest, of app: AppID, _ name: AttributeName, value: [UInt8]?, since: Duration,
    message: (RequestID) -> PhoneMessage
  ) -> EventID {
    lastNumber += 1
    let id = EventID(rawValue: lastNumber)
    let message = message(RequestID(rawValue: lastNumber))
    entries[id] = .request(
      Request(app: app, request: request, name: name, value: value, since: since, message: message))
    return id
  }

  func message(_ id: EventID) -> PhoneMessage? {
    switch entries[id] {
    case .message(let message): message
    case .request(let request): request.message
    case nil: nil
    }
  }

  /// The message, which is being delivered; a request stays until it is answered.
  mutating func deliver(_ id: EventID) -> PhoneMessage? {
    switch entries[id] {
    case .message(let message):
      entries[id] = nil
      return message
    case .request(var request):
      let message = request.message
      request.message = nil
      entries[id] = .request(request)
      return message
    case nil: return nil
    }
  }

  mutating func drop(_ id: EventID) { entries[id] = nil }

  /// The request that the app answers; nil where it has none of that number. One that was refused meanwhile is returned
  /// too.
  mutating func answer(_ id: RequestID, by app: AppID) -> (event: EventID, request: Request)? {
    let event = EventID(rawValue: id.rawValue)
    guard case .request(let request) = entries[event], request.app == app else { return nil }
    entries[event] = nil
    return (event, request)
  }

  /// The request, to be refused in the app's place; nil where that has been done. An app that has it already still owes
  /// its answer.
  mutating func refuse(_ id: EventID) -> Request? {
    guard case .request(var request) = entries[id], !request.isRefused else { return nil }
    if request.message == nil {
      request.isRefused = true
      entries[id] = .request(request)
    } else {
      entries[id] = nil
    }
    return request
  }

  /// Removes the requests that were put to an app.
  mutating func removeRequests(of app: AppID) {
    entries = entries.filter { if case .request(let request) = $0.value { request.app != app } else { true } }
  }
}
