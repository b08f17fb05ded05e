import BleperaBluetooth
public import CoreFoundation

/// A UUID of 16, 32 or 128 bits.
///
/// Two objects are equal if their 128-bit forms are: `180D` equals `0000180D-0000-1000-8000-00805F9B34FB`. ``data`` and
/// ``uuidString`` keep the width that the object was created with.
open class CBUUID: NSObject, NSCopying {
  let uuid: BluetoothUUID

  init(_ uuid: BluetoothUUID) {
    self.uuid = uuid
    super.init()
  }

  /// - Parameter theString: 4, 8 or 36 characters: `180D`, `0000180D` or a UUID with hyphens. Another text ends the
  ///   process, as on iOS.
  public convenience init(string theString: String) {
    guard let uuid = BluetoothUUID(theString) else {
      Misuse.end("String \(theString) does not represent a valid UUID")
    }
    self.init(uuid)
  }

  /// - Parameter theData: 2, 4 or 16 bytes, the most significant one first. Another length ends the process, as on iOS.
  public convenience init(data theData: Data) {
    guard let uuid = BluetoothUUID(littleEndian: theData.reversed()) else {
      Misuse.end("Data \(theData as NSData) does not represent a valid UUID")
    }
    self.init(uuid)
  }

  /// - Parameter theUUID: A UUID of 128 bits.
  public convenience init(nsuuid theUUID: UUID) {
    let bits = unsafe Swift.withUnsafeBytes(of: theUUID.uuid) { bytes in
      unsafe bytes.reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
    }
    self.init(BluetoothUUID(bits: bits))
  }

  /// - Parameter theUUID: A UUID of 128 bits.
  public convenience init(cfuuid theUUID: CFUUID) {
    let bits = unsafe Swift.withUnsafeBytes(of: CFUUIDGetUUIDBytes(theUUID)) { bytes in
      unsafe bytes.reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
    }
    self.init(BluetoothUUID(bits: bits))
  }

  /// The bytes at the width of the UUID, the most significant one first.
  open var data: Data { Data(uuid.littleEndianBytes.reversed()) }

  /// The UUID in upper case, at its width.
  open var uuidString: String { uuid.description }

  open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.uuid == uuid }
  open override var hash: Int { uuid.hashValue }
  /// The name of an assigned UUID, such as `Heart Rate`; otherwise the UUID.
  open override var description: String { uuid.assignedName ?? uuidString }

  /// Returns this object, which never changes.
  ///
  /// - Parameter zone: Ignored.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
