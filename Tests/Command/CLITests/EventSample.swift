import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaDBus
import BleperaRadio
import BleperaRecording
import Testing

@testable import BleperaPhone

/// An event with what is printed of it.
struct EventSample: CustomTestStringConvertible, Sendable {
  let event: PhoneEvent
  /// The app that it is of; nil where it is the phone's.
  let app: String?
  /// The line of JSON, with the time `T`.
  let json: String
  /// The text after the time.
  let text: String

  var testDescription: String { text }
  var record: EventRecord { EventRecord(event, of: app) }
  /// The keys of the record besides `event` and `time`.
  var keys: Set<EventKey> { Set(record.fields.map(\.key)).union(record.app == nil ? [] : [.app]) }

  init(_ event: PhoneEvent, of app: String? = nil, json: String, text: String) {
    self.event = event
    self.app = app
    self.json = json
    self.text = text
  }

  static let all = radio + publishing + apps + restoring + centrals + values + ofApps + peripherals

  static let phone = RadioCentral(id: CentralID(rawValue: "00:11:22:33:44:55"))
  static let tablet = RadioCentral(id: CentralID(rawValue: "66:77:88:99:AA:BB"))
  /// A central with a known ATT_MTU.
  static let watch = RadioCentral(id: CentralID(rawValue: "66:77:88:99:AA:BB"), mtu: 23)
  static let channel = L2CAPPSM(rawValue: 128)
  static let heartRate = BluetoothUUID(0x180D as UInt16)
  static let lock = BluetoothUUID(bits: 0xC8B6_F0B5_7A37_4B4E_9F0C_6B2B_5D1E_8A01)
  static let measurement = AttributeName(
    service: heartRate, characteristic: BluetoothUUID(0x2A37 as UInt16), descriptor: nil)
  static let note = AttributeName(
    service: heartRate, characteristic: BluetoothUUID(0x2A37 as UInt16),
    descriptor: DescriptorDefinition.userDescription)
  static let refusal = RadioFailure("org.bluez.Error.Failed: Failed to register advertisement")
}
