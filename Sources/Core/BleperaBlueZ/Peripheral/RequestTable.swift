import BleperaDBus
import BleperaRadio

/// The calls of bluetoothd for requests of centrals: those that wait for the app's response, and those that wait until
/// an earlier unsubscription is reported.
struct RequestTable: Sendable {
  /// A request of a central whose unsubscription is not reported yet.
  struct Waiting: Sendable {
    let call: IncomingCall
    let device: ObjectPath
    /// The number of its application.
    let application: Int
  }

  private var calls: [RadioRequestID: IncomingCall] = [:]
  private var waiting: [Waiting] = []
  private var last = 0

  /// Whether no request waits for its response.
  var isEmpty: Bool { calls.isEmpty }

  /// Adds a request; nobody waits for the response to a write without response.
  mutating func add(_ call: IncomingCall) -> RadioRequestID {
    last += 1
    let id = RadioRequestID(rawValue: last)
    if call.call.expectsReply { calls[id] = call }
    return id
  }

  /// - Returns: nil where no response is expected, or not any more.
  mutating func remove(_ id: RadioRequestID) -> IncomingCall? { calls.removeValue(forKey: id) }

  mutating func wait(_ request: Waiting) { waiting.append(request) }

  /// Whether a request of the device waits; of any device where there is none.
  func isWaiting(_ device: ObjectPath? = nil) -> Bool { waiting.contains { device == nil || $0.device == device } }

  /// - Returns: the requests that have waited, in order.
  mutating func resume() -> [Waiting] {
    defer { waiting = [] }
    return waiting
  }

  /// Nobody can receive the responses any more.
  mutating func removeAll() { (calls, waiting) = ([:], []) }
}
