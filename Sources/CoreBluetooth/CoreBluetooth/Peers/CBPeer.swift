import BleperaAppLink
import BleperaBluetooth

/// A remote device.
open class CBPeer: NSObject {
  /// The identifier that the phone gives the device; the same for as long as the phone knows it.
  open var identifier: UUID { id }
  private let id: UUID

  init(_ identifier: UUID) {
    id = identifier
    super.init()
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CBPeer else { return false }
    return type(of: other) == type(of: self) && other.id == id
  }

  open override var hash: Int { id.hashValue }
  open override var description: String { "<\(Self.self): \(Address.of(self)) Identifier = \(id.uuidString)>" }
}

/// A central that is or was connected to the phone.
open class CBCentral: CBPeer {
  /// The largest number of bytes that one notification or indication carries to the central.
  open var maximumUpdateValueLength: Int { lock.withLock { length } }

  private let lock = NSLock()
  private var length: Int
  let central: CentralID

  init(_ central: CentralDescription) {
    self.central = central.id
    length = central.maximumUpdateValueLength
    // A phone's identifiers for apps are UUIDs.
    super.init(UUID(uuidString: central.id.rawValue) ?? UUID())
  }

  func update(_ central: CentralDescription) { lock.withLock { length = central.maximumUpdateValueLength } }
}
