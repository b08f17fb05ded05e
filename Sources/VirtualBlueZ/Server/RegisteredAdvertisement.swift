import DBus

/// An advertisement that a program has registered, or is about to.
struct RegisteredAdvertisement: Sendable {
  let owner: BusName
  let path: ObjectPath
  let adapter: AdapterID
  /// To be answered; nil afterwards.
  var call: IncomingCall?
  var properties: [String: DBusValue] = [:]
  var tokens: [Int] = []
}
