import BenchmarkSupport
import CoreBluetooth

// Measures the time of a call of `updateValue`, which waits for the phone's response: from this process over the socket
// to the phone and back. The variables of docs/corebluetooth.md select the phone, or how it is started.

final class App: NSObject, CBPeripheralManagerDelegate {
  private static let calls = 2_000
  private let characteristic = CBMutableCharacteristic(
    type: CBUUID(string: "2A37"), properties: [.notify], value: nil, permissions: [])
  private var manager: CBPeripheralManager!

  override init() {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    service.characteristics = [characteristic]
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    precondition(error == nil, "the service is not published")
    var times: [Double] = []
    for _ in 0..<5 {
      let start = ContinuousClock.now
      for call in 0..<Self.calls {
        let isQueued = peripheral.updateValue(
          Data([UInt8(truncatingIfNeeded: call)]), for: characteristic, onSubscribedCentrals: nil)
        precondition(isQueued, "no subscriber, so the queue is empty")
      }
      times.append(start.duration(to: .now).nanoseconds(for: Self.calls))
    }
    report("updateValue", ["time": median(times)])
    exit(0)
  }
}

let app = App()
RunLoop.main.run()
