import CoreBluetooth
import Synchronization

/// A peripheral that writes down its callbacks, and whose answers a test can change.
///
/// @unchecked: the story waits for each callback, so the test and the callbacks never run at the same time.
class Recorder: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  static var service: CBUUID { CBUUID(string: "1815") }
  static var command: CBUUID { CBUUID(string: "2A56") }
  static var state: CBUUID { CBUUID(string: "2A57") }

  var manager: CBPeripheralManager!
  var lines: [String] = []
  var value = Data([1, 2, 3])
  var restoredServices: [CBMutableService] = []
  var services: [CBMutableService] = []
  var requests: [CBATTRequest] = []
  var centrals: [CBCentral] = []
  var whenReady: (() -> Void)?

  private let commandType: CBUUID

  init(
    restores identifier: String? = "recorder", queue: DispatchQueue? = nil, command: CBUUID = Recorder.command
  ) {
    commandType = command
    super.init()
    manager = CBPeripheralManager(
      delegate: self, queue: queue,
      options: identifier.map { [CBPeripheralManagerOptionRestoreIdentifierKey: $0] })
  }

  var command: CBMutableCharacteristic { characteristic(commandType) }
  var state: CBMutableCharacteristic { characteristic(Self.state) }

  func characteristic(_ uuid: CBUUID) -> CBMutableCharacteristic {
    let all = services.flatMap { $0.characteristics ?? [] }
    return all.first { $0.uuid == uuid } as! CBMutableCharacteristic
  }

  func makeService() -> CBMutableService {
    let service = CBMutableService(type: Self.service, primary: true)
    let state = CBMutableCharacteristic(
      type: Self.state, properties: [.read, .notify], value: nil, permissions: [.readable])
    state.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "State")]
    service.characteristics = [
      CBMutableCharacteristic(
        type: commandType, properties: [.read, .write], value: nil, permissions: [.readable, .writeable]),
      state,
    ]
    return service
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    lines.append("state \(peripheral.state.rawValue)")
    guard peripheral.state == .poweredOn, restoredServices.isEmpty else { return }
    let service = makeService()
    services = [service]
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    restoredServices = dict["kCBRestoredServices"] as? [CBMutableService] ?? []
    services = restoredServices
    let data = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
    lines.append("restore \(restoredServices.count) \(data?["kCBAdvDataLocalName"] as? String ?? "-")")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    lines.append("added \(service.uuid.uuidString) \((error as? CBError)?.code.rawValue ?? -1)")
    guard error == nil else { return }
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Recorder", CBAdvertisementDataServiceUUIDsKey: [Self.service],
    ])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    lines.append("advertising \((error as? CBError)?.code.rawValue ?? -1)")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    centrals.append(central)
    lines.append("subscribed \(characteristic.uuid.uuidString)")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    lines.append("unsubscribed \(characteristic.uuid.uuidString)")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    lines.append("read \(request.offset)")
    guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
    request.value = value.subdata(in: request.offset..<value.count)
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    self.requests = requests
    lines.append("write " + requests.map { "\($0.offset):\($0.value?.count ?? -1)" }.joined(separator: " "))
    if requests[0].value == Data([0xFF]) {
      return peripheral.respond(to: requests[0], withResult: CBATTError.Code(rawValue: 0x80)!)
    }
    value = requests.reduce(into: Data()) { $0 += $1.value ?? Data() }
    peripheral.respond(to: requests[0], withResult: .success)
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    lines.append("ready")
    whenReady?()
  }
}

/// Keeps the apps that a story has launched.
final class Launches<App: Sendable>: Sendable {
  private let apps = Mutex<[App]>([])

  var all: [App] { apps.withLock { $0 } }
  var last: App { apps.withLock { $0[$0.count - 1] } }
  var count: Int { apps.withLock { $0.count } }

  func keep(_ app: App) -> App {
    apps.withLock { $0.append(app) }
    return app
  }
}
