package import DBus
package import GATT

/// The radio of a phone, as the system uses it: what is to be published and advertised stays so until it is taken back,
/// whatever becomes of the radio meanwhile.
///
/// It is an actor of the system's own loop, and tells it `PeripheralEvent`s there, in order.
package protocol PhoneRadio: Actor {
  /// Begins to look; the first event tells the state of the radio.
  func start() async throws(DBusFailure)

  /// Publishes an application, or other services in the place of its old ones.
  func publish(_ number: Int, _ services: [GATTApplication.Service])
  func unpublish(_ number: Int)

  /// Puts advertisements on the air in the place of those there, numbered from 0. One whose content stays is left
  /// alone; of the others all that go are taken away before any comes.
  func advertise(_ contents: [AdvertisementContent])

  /// Answers a read with what follows its offset, or a write with nothing; the error that the central will see, which
  /// differs from the one given where the radio cannot send that.
  @discardableResult
  func answer(_ id: Int, _ result: Result<[UInt8], ATTError>) -> ATTError?

  /// Sends a value to every subscriber of the characteristic, cut to each link's MTU.
  func notify(_ address: AttributeAddress, _ value: [UInt8]) throws(DBusFailure)
  /// What waits to be sent, in bytes.
  var queuedSize: Int { get }

  /// The devices that are subscribed to a characteristic, in the order in which they came.
  func subscribers(of address: AttributeAddress) -> [RemoteDevice]
  /// With the bonded devices that are not connected and will be subscribed again when they are.
  func keptSubscribers(of address: AttributeAddress) -> [RemoteDevice]
  /// Takes those of an application for gone, and tells so.
  func forgetSubscribers(of number: Int)
  /// The bytes that one notification to the device carries at most: its ATT_MTU less 3.
  func maximumUpdateValueLength(of device: ObjectPath) -> Int

  /// Of the centrals that are connected.
  var connectedAddresses: Set<String> { get }
  /// Drops a central's connection; without effect where it has none.
  func disconnect(address: String)

  /// Switches the adapter on or off; `completion` hears a refusal. False where there is no adapter.
  func switchPower(on isOn: Bool, _ completion: @escaping @Sendable (DBusFailure?) -> Void) -> Bool

  /// Whether the advertisements' intervals are heeded; nil where it cannot be told.
  var takesIntervals: Bool? { get }
  /// Of bluetoothd, or what stands in its place.
  var version: DaemonVersion? { get }

  /// Waits until nothing is registered or under way; at most two seconds.
  func settle() async
  /// Takes everything back and ends; at most two seconds.
  func shutDown() async
}

extension Peripheral: PhoneRadio {
  package var queuedSize: Int { connection.assumeIsolated { $0.outgoingSize } }
}
