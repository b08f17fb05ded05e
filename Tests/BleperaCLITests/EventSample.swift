import BlueZ
import DBus
import EventTrace
import GATT
import Testing

@testable import System

/// An event with what is printed of it.
struct EventSample: CustomTestStringConvertible, Sendable {
  let event: SystemEvent
  /// The app that it is of; nil where it is the phone's.
  let app: String?
  /// With the time `T`.
  let json: String
  /// What follows the time.
  let text: String

  var testDescription: String { text }
  var record: EventRecord { EventRecord(event, of: app) }

  init(_ event: SystemEvent, of app: String? = nil, json: String, text: String) {
    self.event = event
    self.app = app
    self.json = json
    self.text = text
  }

  static let all = radio + publishing + apps + restoring + centrals + values + ofApps

  static let phone = RemoteDevice(path: "/org/bluez/hci0/dev_00_11_22_33_44_55", address: "00:11:22:33:44:55")
  static let tablet = RemoteDevice(path: "/org/bluez/hci0/dev_66_77_88_99_AA_BB", address: "66:77:88:99:AA:BB")
  static let heartRate = BluetoothUUID(0x180D as UInt16)
  static let lock = BluetoothUUID(bits: 0xC8B6_F0B5_7A37_4B4E_9F0C_6B2B_5D1E_8A01)
  static let measurement = AttributeName(
    service: heartRate, characteristic: BluetoothUUID(0x2A37 as UInt16), descriptor: nil)
  static let note = AttributeName(
    service: heartRate, characteristic: BluetoothUUID(0x2A37 as UInt16),
    descriptor: DescriptorDefinition.userDescription)
  static let refusal = DBusFailure.remote(
    DBusErrorReply(name: "org.bluez.Error.Failed", message: "Failed to register advertisement"))
}
