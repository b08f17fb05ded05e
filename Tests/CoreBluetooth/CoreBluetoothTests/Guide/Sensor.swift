import CoreBluetooth

final class Sensor: NSObject, CBPeripheralManagerDelegate {
  static let service = "8E7F1A20-4B0C-4E1B-9B6B-6B1C2D3E4F50"
  private var manager: CBPeripheralManager!

  override init() {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func peripheralManagerDidUpdateState(_ manager: CBPeripheralManager) {
    guard manager.state == .poweredOn else { return }
    let uuid = CBUUID(string: Self.service)
    manager.add(CBMutableService(type: uuid, primary: true))
    manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Sensor", CBAdvertisementDataServiceUUIDsKey: [uuid]])
  }
}
