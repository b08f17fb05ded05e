package import BleperaBluetooth
package import BleperaLoop

/// The radio of a phone, which uses exact packets, attribute handles and central identifiers.
///
/// Requested services and advertisements remain requested until they are removed, whatever happens to the radio
/// meanwhile. A radio is an actor on the phone's own loop and reports `RadioEvent`s there, in order and synchronously.
package protocol PhoneRadio: LoopActor {
  /// Starts observing the radio; the first event reports its state.
  func start() async throws(RadioFailure)

  // MARK: Attributes

  /// The services that the stack below the phone publishes itself, which the phone therefore does not publish.
  var stackServices: Set<BluetoothUUID> { get }

  /// Publishes further services with the given handles. An included service is published in the same call as the
  /// service that includes it, or before. Each service is reported with `published` or `publishingFailed`; a radio that
  /// shares the handles with others reports `moved` first, where it publishes a service with other handles.
  func publish(_ services: [RadioService])

  /// Removes the service that begins at the handle. Its subscribers are reported as unsubscribed before this returns.
  func remove(service: AttributeHandle)

  /// Responds to a read with the bytes from its offset on, or to a write with no bytes.
  ///
  /// - Returns: the error that the central receives, which differs from the given one where the radio cannot send that.
  @discardableResult
  func respond(to request: RadioRequestID, _ result: Result<[UInt8], ATTError>) -> ATTError?

  /// Sends a value to these subscribers of a characteristic, cut to each link's MTU.
  ///
  /// - Parameter characteristic: the handle of the value.
  /// - Returns: nil, or why the radio cannot send the update to these centrals alone.
  func update(_ characteristic: AttributeHandle, _ value: [UInt8], to centrals: [CentralID]) -> RadioFailure?

  /// Sends a value that was kept for a central until it subscribed again. Other subscribers may receive it too, which
  /// have had it.
  func updateKept(_ characteristic: AttributeHandle, _ value: [UInt8], for central: CentralID) -> RadioFailure?

  /// The number of a central's updates that its link has not carried yet, where the radio knows. Large where the radio
  /// is not ready for further updates.
  func uncarriedUpdates(to central: CentralID) -> Int

  /// The centrals that are subscribed to a characteristic, in the order in which they subscribed.
  func subscribers(of characteristic: AttributeHandle) -> [RadioCentral]

  /// The subscribers, with bonded centrals that are not connected and will be subscribed again on their next
  /// connection.
  func retainedSubscribers(of characteristic: AttributeHandle) -> [RadioCentral]

  /// How long an app may take to respond to a request before the phone refuses the request; nil where the request waits
  /// until the central disconnects, which ATT requires after 30 s (Core Specification, Vol 3, Part F, 3.3.3).
  nonisolated var requestTimeLimit: Duration? { get }

  // MARK: Advertising

  /// Replaces the advertisement on the air; nil stops advertising. The old and the new advertisement are never on the
  /// air together.
  func advertise(_ advertisement: RadioAdvertisement?)

  /// The packets on the air for the last requested advertisement.
  var packets: [RadioPacket] { get }

  // MARK: Links

  /// The centrals that are connected.
  var connectedCentrals: [RadioCentral] { get }

  /// Disconnects a central; has no effect where the central is not connected.
  func disconnect(_ central: CentralID)

  // MARK: The central role

  /// Whether the radio has the central role.
  nonisolated var hasCentralRole: Bool { get }

  /// Starts a scan, or changes it; nil ends it. Each advertising event that is received is reported.
  func scan(_ scan: ScanWindow?)

  /// Waits for these peripherals, without a timeout, and connects to each as it is received; the others are no longer
  /// waited for. A connection that is made is reported, and its peripheral is no longer waited for.
  ///
  /// - Parameter scan: how the radio listens for them, beside its scan; it is passive.
  func connect(to peripherals: Set<PeripheralID>, listening scan: ScanWindow)

  /// Ends a connection in which the phone is the central; has no effect where there is none.
  func disconnect(from peripheral: PeripheralID)

  /// Performs a procedure, which is reported with `completed` unless the connection has ended. Over a link one
  /// procedure runs after the other, in the order of the calls.
  func perform(_ procedure: GATTProcedure, as id: PeripheralOperationID, at peripheral: PeripheralID)

  /// Reads the signal strength, which the controller measures; reported with `completed`, unless the connection has
  /// ended.
  func readRSSI(of peripheral: PeripheralID, as id: PeripheralOperationID)

  /// Opens an L2CAP channel; `completion` is called on the loop.
  func openChannel(
    _ psm: L2CAPPSM, at peripheral: PeripheralID,
    _ completion: @escaping @Sendable (Result<any ByteStream, ProcedureFailure>) -> Void)

  // MARK: L2CAP channels

  /// Lets centrals open channels; the radio chooses the number. `completion` is called on the loop.
  ///
  /// - Parameter isEncrypted: whether a central has to be paired.
  func publishChannel(
    isEncrypted: Bool, _ completion: @escaping @Sendable (Result<L2CAPPSM, RadioFailure>) -> Void)

  /// Stops letting centrals open channels; open channels stay open.
  func unpublishChannel(_ psm: L2CAPPSM)

  // MARK: Bonds

  /// The devices whose keys the radio keeps, in the order of their addresses.
  var bonds: [RadioBond] { get }

  /// Deletes the keys of the device with that address, or of each device whose bond the phone has made, and ends their
  /// connections; `completion` receives the failure, or nil on success.
  func forgetBonds(with address: String?, _ completion: @escaping @Sendable (RadioFailure?) -> Void)

  // MARK: The radio itself

  /// Switches the radio on or off; `completion` receives the failure, or nil on success.
  ///
  /// - Returns: false where there is no adapter to switch.
  func switchPower(on isOn: Bool, _ completion: @escaping @Sendable (RadioFailure?) -> Void) -> Bool

  /// The questions that wait for the phone's user; the Security Manager ends a pairing after 30 s without an answer.
  var pairingQuestions: [PairingQuestion] { get }

  /// Answers one of `pairingQuestions`; has no effect once the pairing has ended.
  func answerPairing(_ question: PairingQuestion, _ response: PairingResponse)

  /// The phone's address; nil where there is no adapter or the radio does not know.
  var address: RadioAddress? { get }

  /// The identity that the phone keeps for its next start; nil where the keys are the computer's, or are not kept.
  var identity: PhoneIdentity? { get }

  /// The Bluetooth stack of the radio, with its version; nil where there is none or it is unknown.
  var implementation: String? { get }

  /// The controller of a radio with a host of its own; nil for another radio, and before the controller has answered.
  var controller: RadioController? { get }

  /// Gives the link layer exactly these defects; returns false where it cannot have them.
  func setDefects(_ defects: Set<PhoneDefect>) -> Bool

  /// How this radio currently differs from an iPhone's; empty where it does not differ.
  var limitations: [RadioLimitation] { get }

  /// The limitation with that identifier; nil where it does not apply.
  func limitation(_ id: String) -> RadioLimitation?

  /// Waits until no registration or removal is in progress; at most two seconds.
  func settle() async

  /// Removes everything from the air and stops the radio; takes at most two seconds.
  func shutDown() async
}

/// A radio without the central role.
extension PhoneRadio {
  package nonisolated var hasCentralRole: Bool { false }
  package func scan(_ scan: ScanWindow?) {}
  package func connect(to peripherals: Set<PeripheralID>, listening scan: ScanWindow) {}
  package func disconnect(from peripheral: PeripheralID) {}
  package func perform(_ procedure: GATTProcedure, as id: PeripheralOperationID, at peripheral: PeripheralID) {}
  package func readRSSI(of peripheral: PeripheralID, as id: PeripheralOperationID) {}
  package func openChannel(
    _ psm: L2CAPPSM, at peripheral: PeripheralID,
    _ completion: @escaping @Sendable (Result<any ByteStream, ProcedureFailure>) -> Void
  ) { completion(.failure(.notConnected)) }
}

extension PhoneRadio {
  package var controller: RadioController? { nil }
  package var identity: PhoneIdentity? { nil }
  package var bonds: [RadioBond] { [] }
  package func forgetBonds(with address: String?, _ completion: @escaping @Sendable (RadioFailure?) -> Void) {
    completion(nil)
  }
  package var pairingQuestions: [PairingQuestion] { [] }
  package func answerPairing(_ question: PairingQuestion, _ response: PairingResponse) {}
  package func setDefects(_ defects: Set<PhoneDefect>) -> Bool { defects.isEmpty }
  package func limitation(_ id: String) -> RadioLimitation? { limitations.first { $0.id == id } }

  package func updateKept(
    _ characteristic: AttributeHandle, _ value: [UInt8], for central: CentralID
  ) -> RadioFailure? { update(characteristic, value, to: [central]) }
}

/// The address of a phone on the air.
package struct RadioAddress: Hashable, Sendable {
  /// The address that bonded centrals know: `00:11:22:33:44:55`.
  package let identity: String
  /// The address under which the phone advertises.
  package let current: String
  /// The key with which the current address can be resolved; nil where it is the identity address.
  package let key: IdentityResolvingKey?

  package init(identity: String, current: String, key: IdentityResolvingKey?) {
    self.identity = identity
    self.current = current
    self.key = key
  }
}
