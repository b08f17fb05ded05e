import BleperaBluetooth

/// A read or a write of a central, which the app responds to.
open class CBATTRequest: NSObject {
  /// The central that reads or writes.
  open var central: CBCentral { sender }
  /// The characteristic that is read or written.
  open var characteristic: CBCharacteristic { target }
  /// The offset of the first byte in the value.
  open var offset: Int { start }
  /// The bytes that are written; for a read, the bytes from ``offset`` on, to be set before the response.
  open var value: Data?

  private let sender: CBCentral
  private let target: CBCharacteristic
  private let start: Int
  /// The phone's number of the read, or of the first of the writes that get one response together.
  let id: RequestID
  let isRead: Bool

  init(
    _ id: RequestID, _ central: CBCentral, _ characteristic: CBCharacteristic, offset: Int, value: Data?, isRead: Bool
  ) {
    (self.id, sender, target, start, self.isRead) = (id, central, characteristic, offset, isRead)
    self.value = value
    super.init()
  }
}
