package import BleperaBluetooth

/// The radio of a phone, in the air's terms: exact packets, attributes by handle, centrals by identifier.
///
/// What is to be published and advertised stays so until it is taken back, whatever happens to the radio meanwhile.
/// A radio is an actor of the phone's own loop and reports `RadioEvent`s there, in order, synchronously.
package protocol PhoneRadio: Actor {
  /// Begins to follow the radio; the first event reports its state.
  func start() async throws(RadioFailure)

  // MARK: Attributes

  /// Publishes services with the handles given, besides those that are published. An included service is published in
  /// the same call or before the one that includes it. Each is reported with `published` or `publishingFailed`.
  func publish(_ services: [RadioService])

  /// Removes the service that begins at that handle. Its subscribers are reported as unsubscribed before this returns.
  func remove(service: AttributeHandle)

  /// Answers a read with what follows its offset, or a write with nothing.
  ///
  /// - Returns: the error that the central receives, which differs from the one given where the radio cannot send that.
  @discardableResult
  func respond(to request: RequestID, _ result: Result<[UInt8], ATTError>) -> ATTError?

  /// Sends a value to these subscribers of a characteristic, cut to each link's MTU.
  ///
  /// - Parameter characteristic: the handle of the value.
  /// - Returns: false where the transmit queue is full; nothing is sent then, and `readyToUpdate` follows.
  func update(_ characteristic: AttributeHandle, _ value: [UInt8], to centrals: [CentralID]) -> Bool

  /// The centrals that are subscribed to a characteristic, in the order in which they subscribed.
  func subscribers(of characteristic: AttributeHandle) -> [RadioCentral]

  /// The same with bonded centrals that are not connected and will be subscribed again when they are.
  func keptSubscribers(of characteristic: AttributeHandle) -> [RadioCentral]

  // MARK: Advertising

  /// Puts an advertisement on the air in place of the one there; nil ends advertising. Old and new are never on the
  /// air together.
  func advertise(_ advertisement: RadioAdvertisement?)

  /// What is on the air for the advertisement asked for last, packet by packet.
  var packets: [RadioPacket] { get }

  // MARK: Links

  /// The centrals that are connected.
  var connectedCentrals: [RadioCentral] { get }

  /// Ends a central's connection; without effect where it has none.
  func disconnect(_ central: CentralID)

  // MARK: The radio itself

  /// Switches the radio on or off; `completion` receives a refusal.
  ///
  /// - Returns: false where there is nothing to switch.
  func switchPower(on isOn: Bool, _ completion: @escaping @Sendable (RadioFailure?) -> Void) -> Bool

  /// What stands between the phone and the air, such as `bluetoothd 5.66`; nil where nothing does, or it is not known.
  var implementation: String? { get }

  /// Where this radio differs from an iPhone's as things are now; empty for one that does not.
  var limitations: [RadioLimitation] { get }

  /// Waits until nothing is being registered or removed; at most two seconds.
  func settle() async

  /// Takes everything off the air and ends; at most two seconds.
  func shutDown() async
}
