package import BleperaBluetooth
package import BleperaLoop
package import Dispatch
import Synchronization

/// How the managers of an app in this process reach a phone.
package protocol AppPort: AnyObject, Sendable {
  /// From the app's Info.plist.
  var identity: AppIdentity { get }

  /// The managers for which the system has launched the app; nil where the user has.
  var launchManagers: [ManagerID]? { get }

  /// Connects the app to the phone. Called once.
  ///
  /// - Parameter receive: called with each message of the phone, in order, one at a time.
  func open(_ receive: @escaping @Sendable (PhoneMessage) -> Void)

  /// Has no effect after the app was terminated.
  func send(_ message: AppMessage)

  /// Sends an update after all earlier messages. Blocks until the phone has answered.
  ///
  /// - Returns: whether the update is queued.
  func update(
    _ characteristic: CharacteristicID, _ value: [UInt8], centrals: [CentralID]?, by manager: ManagerID.Name
  ) -> Bool

  /// Sends `retrievePeripherals` or `retrieveConnectedPeripherals` of a central manager after all earlier messages.
  /// Blocks until the phone has answered.
  func retrieve(_ call: CentralCall, by manager: ManagerID.Name) -> [PeripheralDescription]

  /// The stream that came first with a message and was not taken yet.
  func takeStream() -> (any ByteStream)?

  /// Runs a callback of the app on its queue, after the callbacks before it.
  func call(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void)

  /// The object that the app's library keeps for the app.
  var attachment: AppPortAttachment { get }
}

/// A place for one object, which lives as long as the app.
package final class AppPortAttachment: Sendable {
  private let object = Mutex<(any AnyObject & Sendable)?>(nil)

  package init() {}

  package var value: (any AnyObject & Sendable)? {
    get { object.withLock { $0 } }
    set { object.withLock { $0 = newValue } }
  }
}

/// The ports of this process's apps.
package enum AppPorts {
  /// The port of the app whose code runs now: while a story launches the app, and in its callbacks.
  @TaskLocal package static var current: (any AppPort)?

  /// The ports of apps that stories run in this process.
  private static let running = Mutex<[any AppPort]>([])

  package static func add(_ port: any AppPort) { running.withLock { $0.append(port) } }

  package static func remove(_ port: any AppPort) { running.withLock { $0.removeAll { $0 === port } } }

  /// The port for a manager that is created now: the current one, or that of the only app in a story; nil where the
  /// process itself is the app.
  package static var forNewManager: Choice {
    if let current { return .story(current) }
    return running.withLock { ports in
      switch ports.count {
      case 0: .process
      case 1: .story(ports[0])
      default: .unknown
      }
    }
  }

  package enum Choice {
    case process
    case story(any AppPort)
    /// Stories run several apps, and the code that asks belongs to none of them in particular.
    case unknown
  }
}
