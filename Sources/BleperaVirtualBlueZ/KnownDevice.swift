import BleperaAir
import BleperaBluetooth
import BleperaDBus
import BleperaLoop

/// What bluetoothd keeps of a device beside its properties.
struct KnownDevice: Sendable {
  let path: ObjectPath
  var connection: ConnectionID?
  /// Whether we are the central of that connection.
  var isServer = false
  /// Forgotten some time after it was last seen or connected.
  var isTemporary = true
  var lastSeen: Duration
  /// Looks at it again some time after that.
  var expiry: (any LoopTimer)?
  /// The last one that was signaled; nil while no client discovers.
  var rssi: Int?
  var services: [RemoteService] = []
  /// Calls of Connect that wait, and what is to be done then.
  var connecting: [IncomingCall] = []
  var pairing: [IncomingCall] = []
}

/// A device as one adapter knows it.
struct DeviceKey: Hashable, Comparable, Sendable {
  let adapter: AdapterID
  let address: DeviceAddress

  static func < (left: Self, right: Self) -> Bool {
    (left.adapter, left.address) < (right.adapter, right.address)
  }
}

/// What a device has advertised.
struct AdvertisedDevice: Hashable, Sendable {
  var name: String?
  var serviceUUIDs: [BluetoothUUID] = []
  var manufacturerData: [UInt16: [UInt8]] = [:]
  var serviceData: [BluetoothUUID: [UInt8]] = [:]
  var txPower: Int8?
  var appearance: UInt16?
  var flags: ADFlags?

  var isDiscoverable: Bool {
    flags.map { !$0.isDisjoint(with: [.limitedDiscoverable, .generalDiscoverable]) } ?? false
  }

  /// The icon that desktops show for the appearance's category (`gap_appearance_to_icon`).
  var icon: String? {
    guard let appearance else { return nil }
    switch (appearance >> 6, appearance & 0x3F) {
    case (1, _): return "phone"
    case (2, _): return "computer"
    case (5, _): return "video-display"
    case (6, _): return "multimedia-player"
    case (7, _): return "scanner"
    case (15, 1): return "input-keyboard"
    case (15, 2): return "input-mouse"
    case (15, 3), (15, 4): return "input-gaming"
    case (15, 5): return "input-tablet"
    case (15, 8): return "scanner"
    default: return nil
    }
  }

  /// The content of one advertising event.
  init(_ report: AdvertisementReport) {
    let structures =
      AdvertisingData(leniently: report.data).structures + AdvertisingData(leniently: report.scanResponse).structures
    for structure in structures {
      switch structure {
      case .serviceUUIDs(let list, _): serviceUUIDs += list.uuids
      case .shortenedLocalName(let text), .completeLocalName(let text): name = text
      case .manufacturerData(let company, let data): manufacturerData[company] = data
      case .serviceData(let uuid, let data): serviceData[uuid] = data
      case .txPowerLevel(let level): txPower = level
      case .appearance(let value): appearance = value
      case .flags(let value): flags = value
      case .serviceSolicitation, .other: break
      }
    }
  }
}
