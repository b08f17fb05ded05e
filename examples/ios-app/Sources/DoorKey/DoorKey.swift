import CoreBluetooth

/// A door that opens for paired phones, as a peripheral: a command to lock and unlock, and the state, which notifies.
///
/// The system may terminate the app at any time; a command launches it again, with its services, its advertisement and
/// its subscribers.
public final class DoorKey: NSObject {
  public enum State: UInt8, Sendable {
    case locked = 0
    case unlocked = 1
  }

  public static var serviceUUID: CBUUID { CBUUID(string: "8E7F1A10-4B0C-4E1B-9B6B-6B1C2D3E4F50") }
  /// Accepts a `State` from paired centrals.
  public static var commandUUID: CBUUID { CBUUID(string: "8E7F1A11-4B0C-4E1B-9B6B-6B1C2D3E4F50") }
  /// Has the `State`, and notifies of it.
  public static var stateUUID: CBUUID { CBUUID(string: "8E7F1A12-4B0C-4E1B-9B6B-6B1C2D3E4F50") }
  /// The restoration identifier of the manager.
  public static let restoreIdentifier = "door"

  public private(set) var state = State.locked
  private var manager: CBPeripheralManager!
  private var stateCharacteristic: CBMutableCharacteristic?
  private var isPublished = false
  /// Whether subscribers have yet to receive the state, because the transmit queue was full.
  private var owesUpdate = false
  private let log: (String) -> Void

  /// - Parameter log: Receives a line for each event.
  public init(log: @escaping (String) -> Void = { _ in }) {
    self.log = log
    super.init()
    manager = CBPeripheralManager(
      delegate: self, queue: nil, options: [CBPeripheralManagerOptionRestoreIdentifierKey: Self.restoreIdentifier])
  }

  private func publish() {
    let command = CBMutableCharacteristic(
      type: Self.commandUUID, properties: [.write], value: nil, permissions: [.writeEncryptionRequired])
    let state = CBMutableCharacteristic(
      type: Self.stateUUID, properties: [.read, .notify], value: nil, permissions: [.readable])
    state.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Door")
    ]
    let service = CBMutableService(type: Self.serviceUUID, primary: true)
    service.characteristics = [command, state]
    stateCharacteristic = state
    manager.add(service)
  }

  private func sendState() {
    guard let stateCharacteristic else { return }
    owesUpdate = !manager.updateValue(Data([state.rawValue]), for: stateCharacteristic, onSubscribedCentrals: nil)
  }
}

extension DoorKey: CBPeripheralManagerDelegate {
  public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    switch peripheral.state {
    case .poweredOn:
      log("powered on")
      if !isPublished { publish() }
      isPublished = true
    case .poweredOff: log("powered off")
    case .unauthorized: log("not allowed to use Bluetooth")
    case .unsupported: log("no Bluetooth")
    case .unknown, .resetting: isPublished = false
    @unknown default: break
    }
  }

  public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
    let characteristics = services.flatMap { $0.characteristics ?? [] }
    stateCharacteristic = characteristics.first { $0.uuid == Self.stateUUID } as? CBMutableCharacteristic
    isPublished = stateCharacteristic != nil
    log("restored with \(stateCharacteristic?.subscribedCentrals?.count ?? 0) subscribers")
  }

  public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if let error { return log("not published: \(error.localizedDescription)") }
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Door", CBAdvertisementDataServiceUUIDsKey: [Self.serviceUUID],
    ])
  }

  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    log(error.map { "not advertising: \($0.localizedDescription)" } ?? "advertising")
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    log("subscribed")
    sendState()
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    log("unsubscribed")
  }

  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard request.offset == 0 else { return peripheral.respond(to: request, withResult: .invalidOffset) }
    request.value = Data([state.rawValue])
    peripheral.respond(to: request, withResult: .success)
  }

  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard requests.count == 1, let value = requests[0].value, value.count == 1, let command = State(rawValue: value[0])
    else { return peripheral.respond(to: requests[0], withResult: .invalidAttributeValueLength) }
    state = command
    log("\(command)")
    peripheral.respond(to: requests[0], withResult: .success)
    sendState()
  }

  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    if owesUpdate { sendState() }
  }
}
