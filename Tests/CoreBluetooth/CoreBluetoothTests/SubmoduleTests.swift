// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The submodules of Apple's framework, and every method of its delegates with the types that apps write, without
// another import.
import CoreBluetooth.CBATTRequest
import CoreBluetooth.CBAdvertisementData
import CoreBluetooth.CBAttribute
import CoreBluetooth.CBCentral
import CoreBluetooth.CBCentralManager
import CoreBluetooth.CBCentralManagerConstants
import CoreBluetooth.CBCharacteristic
import CoreBluetooth.CBDefines
import CoreBluetooth.CBDescriptor
import CoreBluetooth.CBError
import CoreBluetooth.CBL2CAPChannel
import CoreBluetooth.CBManager
import CoreBluetooth.CBPeer
import CoreBluetooth.CBPeripheral
import CoreBluetooth.CBPeripheralManager
import CoreBluetooth.CBPeripheralManagerConstants
import CoreBluetooth.CBService
import CoreBluetooth.CBUUID
import Testing

@Suite("An app that imports submodules of Core Bluetooth alone")
struct SubmoduleTests {
  @Test("has the whole module, and the types of all methods of its delegates")
  func whole() {
    let app = BothRoles()
    let disconnect: (CBCentralManager, CBPeripheral, CFAbsoluteTime, Bool, (any Error)?) -> Void =
      app.centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)
    _ = disconnect
    #expect(CBUUID(string: "180D").data == Data([0x18, 0x0D]))
    #expect(CFAbsoluteTimeGetCurrent() > 0)
  }
}

private final class BothRoles: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {}

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {}

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {}

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {}

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {}

  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}

  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {}

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {}

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {}

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {}

  func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
  ) {}

  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {}

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}

  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {}

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {}

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {}

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {}

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {}

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}

  func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
  {}

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {}
}
