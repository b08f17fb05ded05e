import AppLink
import BlueZ
import GATT

/// What the system keeps of an app.
struct AppRecord {
  /// A service as it was published, and where bluetoothd has it.
  struct Service {
    let definition: ServiceDefinition
    let handles: ServiceHandles
    /// The number of the application that it is registered in, and its place there.
    var application: Int
    var place: Int
    /// Whether the app has been told the outcome.
    var isAnswered = false
  }

  let link: any AppLinkEnd<SystemMessage, AppMessage>
  var identity: AppIdentity?
  var services: [ServiceID: Service] = [:]
  /// In the order of their numbers.
  var serviceIDs: [ServiceID] { services.keys.sorted { $0.rawValue < $1.rawValue } }
  /// Whether `didStartAdvertising` is owed.
  var awaitsAdvertising = false
  /// Whether an update was turned away and `isReadyToUpdateSubscribers` is owed.
  var isWaitingToUpdate = false
}
