import AppLink
import BlueZ
import FoundationEssentials
import GATT
import Glibc
import Policy
import Preservation

/// What the system keeps of an app.
struct AppRecord {
  /// A service as it was published, and where bluetoothd has it.
  struct Service {
    let definition: ServiceDefinition
    let handles: ServiceHandles
    /// The number of the application that it is registered in, and its place there.
    var application: Int
    var place: Int
    /// Whether the app has been told the outcome, or need not be.
    var isAnswered = false

    /// Where bluetoothd has a characteristic's value, or a descriptor of it.
    func address(of characteristic: Int, descriptor: Int? = nil) -> AttributeAddress {
      AttributeAddress(
        application: application,
        attribute: AttributeID(service: place, characteristic: characteristic, descriptor: descriptor))
    }
  }

  /// Nil while it does not run.
  var link: (any AppLinkEnd<SystemMessage, AppMessage>)?
  /// Which link of the system's it is.
  var session: Int
  var identity: AppIdentity
  /// How it can be started again.
  var process: LaunchDescription?
  /// When the system began to keep it.
  var since: Date
  var ended: Ended?
  /// The process that the system has started, until it says who it is.
  var relaunching: pid_t?
  var services: [ServiceID: Service] = [:]
  /// In the order of their numbers.
  var serviceIDs: [ServiceID] { services.keys.sorted { $0.rawValue < $1.rawValue } }
  /// Whether `didStartAdvertising` is owed.
  var awaitsAdvertising = false
  /// Whether an update was turned away and `isReadyToUpdateSubscribers` is owed.
  var isWaitingToUpdate = false

  init(link: (any AppLinkEnd<SystemMessage, AppMessage>)?, session: Int, identity: AppIdentity, since: Date) {
    self.since = since
    self.link = link
    self.session = session
    self.identity = identity
  }
}
