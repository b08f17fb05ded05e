// swift-format-ignore-file: AlwaysUseLowerCamelCase

import BleperaAppLink
import BleperaBluetooth

/// Publishes services and advertises them to centrals.
///
/// All calls but `init` need the state ``CBManagerState/poweredOn``; before that they are logged as API MISUSE and have
/// no effect, as on iOS. A manager that is deallocated stops advertising, and its services are removed.
open class CBPeripheralManager: CBManager {
  /// Receives the callbacks.
  open weak var delegate: (any CBPeripheralManagerDelegate)?
  private var link: ManagerAppLink!

  /// Creates a manager without a delegate.
  public override convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  /// - Parameters:
  ///   - delegate: Receives the callbacks.
  ///   - queue: The queue of the callbacks; nil for the main queue.
  public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: dispatch_queue_t?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// - Parameters:
  ///   - delegate: Receives the callbacks.
  ///   - queue: The queue of the callbacks; nil for the main queue.
  ///   - options: `CBPeripheralManagerOptionRestoreIdentifierKey` opts in to state restoration, which needs the
  ///     background mode `bluetooth-peripheral`: without that mode the process ends, as on iOS.
  public init(delegate: (any CBPeripheralManagerDelegate)?, queue: dispatch_queue_t?, options: [String: Any]? = nil) {
    super.init()
    self.delegate = delegate
    let session = AppSession.current
    link = ManagerAppLink(self, session, queue: queue)
    session.add(
      link, .peripheral, restoreIdentifier: options?[CBPeripheralManagerOptionRestoreIdentifierKey] as? String)
  }

  deinit { link?.close() }

  /// Whether the app may act as a peripheral; before iOS 13. Use `CBManager.authorization`.
  open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
    CBPeripheralManagerAuthorizationStatus(rawValue: authorization.rawValue) ?? .notDetermined
  }

  open override var state: CBManagerState { link.state }

  /// Whether the manager advertises, in the foreground or in the background.
  open var isAdvertising: Bool { link.isAdvertising }

  // MARK: Advertising

  /// Starts advertising; the response is `peripheralManagerDidStartAdvertising(_:error:)`, with
  /// ``CBError/alreadyAdvertising`` if the manager advertises already.
  ///
  /// - Parameter advertisementData: `CBAdvertisementDataLocalNameKey` and `CBAdvertisementDataServiceUUIDsKey`; other
  ///   keys are ignored with a warning.
  open func startAdvertising(_ advertisementData: [String: Any]?) {
    guard link.mayCall() else { return }
    link.startAdvertising(Advertisement.read(advertisementData ?? [:]))
  }

  /// Stops advertising.
  open func stopAdvertising() {
    guard link.mayCall() else { return }
    link.stopAdvertising()
  }

  // MARK: Services

  /// Publishes a service; the response is `peripheralManager(_:didAdd:error:)`, with ``CBError/uuidNotAllowed`` for a
  /// service that the system publishes itself. The same object cannot be added twice, and characteristics with cached
  /// values have to be read-only: the process ends otherwise, as on iOS.
  ///
  /// - Parameter service: The service; later changes of the object have no effect.
  open func add(_ service: CBMutableService) {
    guard link.mayCall() else { return }
    link.add(service)
  }

  /// Removes a published service.
  ///
  /// - Parameter service: The object that was added; others are ignored.
  open func remove(_ service: CBMutableService) {
    guard link.mayCall() else { return }
    link.remove(service)
  }

  /// Removes all services of this manager.
  open func removeAllServices() {
    guard link.mayCall() else { return }
    link.removeAllServices()
  }

  // MARK: Requests and updates

  /// Responds to a read or to writes.
  ///
  /// - Parameters:
  ///   - request: The read, or one of the writes that were received together: the response is for all of them.
  ///   - result: ``CBATTError/Code/success``, or the error that the central receives.
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
    guard link.mayCall() else { return }
    let value = request.isRead ? request.value.map { Array($0) } ?? [] : []
    link.send(.respond(request.id, error: result.error, value: result.error == nil ? value : []))
  }

  /// Sends a value to subscribers, cut to what one packet carries to each.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - characteristic: A published characteristic.
  ///   - centrals: The subscribers that receive the value; nil for all.
  ///
  /// - Returns: False if the transmit queue is full, after which `peripheralManagerIsReady(toUpdateSubscribers:)` is
  ///   called, and false if the value cannot be sent.
  @discardableResult
  open func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool {
    guard link.mayCall() else { return false }
    return link.update(characteristic, Array(value), centrals?.map(\.central))
  }

  /// Asks for a connection interval; has no effect, since neither radio changes it.
  ///
  /// - Parameters:
  ///   - latency: The latency.
  ///   - central: A connected central.
  open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
    _ = link.mayCall()
  }

  // MARK: L2CAP

  /// Lets centrals open L2CAP channels; the response is `peripheralManager(_:didPublishL2CAPChannel:error:)` with the
  /// number, which the app publishes in a characteristic or otherwise.
  ///
  /// - Parameter encryptionRequired: Whether centrals have to be paired.
  open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
    guard link.mayCall() else { return }
    link.send(.publishL2CAPChannel(encryptionRequired: encryptionRequired))
  }

  /// Stops centrals from opening the L2CAP channel; channels that are open stay open. The response is
  /// `peripheralManager(_:didUnpublishL2CAPChannel:error:)`.
  ///
  /// - Parameter PSM: The number of the channel.
  open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard link.mayCall() else { return }
    link.send(.unpublishL2CAPChannel(L2CAPPSM(rawValue: PSM)))
  }

  open override var description: String { "<\(Self.self): \(Address.of(self))>" }
}
