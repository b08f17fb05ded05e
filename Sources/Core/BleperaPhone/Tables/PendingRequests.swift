import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

extension EventID {
  /// The event of a request, which has the same number.
  init(_ request: RequestID) { self.init(rawValue: request.rawValue) }
}

/// Messages that are not delivered yet, and requests that have no response yet. One number identifies an entry to the
/// rules (`EventID`) and to the app (`RequestID`). No entry outlives its response, so an app that never responds
/// leaves none.
struct PendingRequests {
  /// A central's read or write that an app must respond to. Not a value, because its contents are large.
  final class Request {
    let app: AppID
    let manager: ManagerID
    let request: AttributeRequest
    let access: Access
    /// The phone's time when the request arrived.
    let since: Duration
    let message: PhoneMessage
    fileprivate(set) var isDelivered = false

    fileprivate init(
      app: AppID, manager: ManagerID, request: AttributeRequest, access: Access, since: Duration,
      message: PhoneMessage
    ) {
      self.app = app
      self.manager = manager
      self.request = request
      self.access = access
      self.since = since
      self.message = message
    }

    var kind: RequestKind {
      switch access {
      case .read: .read
      case .write: request.expectsResponse ? .write : .command
      }
    }
  }

  /// The message for an event that is delivered to its app.
  struct Delivery {
    let message: PhoneMessage
    /// A write for which no central waits: the phone responds for the app, whose own response is ignored.
    let command: Request?
  }

  /// A central's read, or writes as a unit; the app is nil for the phone's own attributes.
  enum Access {
    case read(AppID?, AttributeName)
    case write([Write])

    struct Write {
      let app: AppID?
      let name: AttributeName
      let offset: Int
      let value: [UInt8]
    }
  }

  private enum Entry {
    indirect case message(PhoneMessage)
    case request(Request)
  }

  private var entries: [EventID: Entry] = [:]
  private var lastNumber = 0

  /// Adds a message that needs no response.
  mutating func add(_ message: PhoneMessage) -> EventID {
    lastNumber += 1
    let id = EventID(rawValue: lastNumber)
    entries[id] = .message(message)
    return id
  }

  /// Adds a request; `callback` receives an identifier for the read or for each write. The app's response must have the
  /// first identifier.
  mutating func add(
    _ request: AttributeRequest, of app: AppID, _ manager: ManagerID, _ access: Access, since: Duration,
    callback: ([RequestID]) -> PeripheralManagerCallback
  ) -> EventID {
    let count = if case .write(let writes) = access { writes.count } else { 1 }
    let numbers = lastNumber + 1...lastNumber + count
    lastNumber = numbers.upperBound
    let id = EventID(rawValue: numbers.lowerBound)
    let message = PhoneMessage.peripheral(manager.name, callback(numbers.map { RequestID(rawValue: $0) }))
    entries[id] = .request(
      Request(app: app, manager: manager, request: request, access: access, since: since, message: message))
    return id
  }

  /// The requests of a central that have no response yet, in the order of their arrival.
  func requests(of central: CentralID) -> [(app: AppID, event: EventID)] {
    let found = entries.compactMap { id, entry -> (app: AppID, event: EventID)? in
      guard case .request(let request) = entry, request.request.central.id == central else { return nil }
      return (request.app, id)
    }
    return found.sorted { $0.event.rawValue < $1.event.rawValue }
  }

  /// The requests for a service for which centrals wait, in the order of their arrival.
  func requests(for service: ServiceID, of app: AppID) -> [EventID] {
    let found = entries.filter { _, entry in
      guard case .request(let request) = entry, request.app == app, request.request.expectsResponse
      else { return false }
      switch request.message {
      case .peripheral(_, .didReceiveRead(let read)): return read.characteristic.service == service
      case .peripheral(_, .didReceiveWrite(let writes)): return writes.contains { $0.characteristic.service == service }
      default: return false
      }
    }
    return found.keys.sorted { $0.rawValue < $1.rawValue }
  }

  func message(_ id: EventID) -> PhoneMessage? {
    switch entries[id] {
    case .message(let message): message
    case .request(let request): request.isDelivered ? nil : request.message
    case nil: nil
    }
  }

  /// Returns the message for delivery; a request remains until its response, unless no response is expected.
  mutating func deliver(_ id: EventID) -> Delivery? {
    switch entries[id] {
    case .message(let message):
      entries[id] = nil
      return Delivery(message: message, command: nil)
    case .request(let request):
      guard !request.isDelivered else { return nil }
      request.isDelivered = true
      let isCommand = !request.request.expectsResponse
      if isCommand { entries[id] = nil }
      return Delivery(message: request.message, command: isCommand ? request : nil)
    case nil: return nil
    }
  }

  mutating func drop(_ id: EventID) { entries[id] = nil }

  /// Removes and returns the request that an app responds to; nil where the app has no such request, or the phone has
  /// responded for it.
  mutating func answer(_ id: EventID, by app: AppID) -> Request? {
    guard case .request(let request) = entries[id], request.app == app else { return nil }
    entries[id] = nil
    return request
  }

  /// Removes and returns the request for a refusal by the phone; nil where it has a response already. The rules still
  /// expect the response of an app that has received the request.
  mutating func refuse(_ id: EventID) -> Request? {
    guard case .request(let request) = entries[id] else { return nil }
    entries[id] = nil
    return request
  }

  /// Removes and returns the requests among the events that wait for the app's response.
  mutating func take(_ ids: [EventID], of app: AppID) -> [(event: EventID, request: Request)] {
    ids.compactMap { id in
      guard case .request(let request) = entries[id], request.app == app else { return nil }
      entries[id] = nil
      return (id, request)
    }
  }

  /// Adds a request that was taken, to be delivered again.
  mutating func putBack(_ id: EventID, _ request: Request) {
    request.isDelivered = false
    entries[id] = .request(request)
  }

  /// Removes the requests of an app.
  mutating func removeRequests(of app: AppID) {
    entries = entries.filter { if case .request(let request) = $0.value { request.app != app } else { true } }
  }
}
