import BleperaBluetooth

/// A descriptor: further information about a characteristic.
open class CBDescriptor: CBAttribute {
  /// The characteristic that the descriptor belongs to.
  open weak var characteristic: CBCharacteristic? { owner }
  /// The value last read: a `String` for 2901, an `NSNumber` for 2900, 2902 and 2903, otherwise a `Data`; nil before.
  /// For a descriptor of this app, the value that it was created with.
  open var value: Any? { content }

  weak var owner: CBCharacteristic?
  @Guarded var content: Any?

  init(_ type: CBUUID, _ handle: AttributeHandle?, _ value: Any?) {
    content = value
    super.init(type, handle)
  }
}

/// A descriptor that the app publishes.
open class CBMutableDescriptor: CBDescriptor {
  /// - Parameters:
  ///   - UUID: The UUID of the descriptor; the system makes 2900, 2902 and 2903 itself.
  ///   - value: A `String` for 2901, otherwise a `Data`; the value never changes.
  public init(type UUID: CBUUID, value: Any?) { super.init(UUID, nil, value) }
}
