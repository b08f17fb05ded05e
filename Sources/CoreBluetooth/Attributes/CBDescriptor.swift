/// A descriptor: further information about a characteristic.
open class CBDescriptor: CBAttribute {
  /// The characteristic that the descriptor belongs to.
  open weak var characteristic: CBCharacteristic? { owner }
  /// The value; its type depends on the UUID.
  open var value: Any? { content }

  weak var owner: CBCharacteristic?
  private let content: Any?

  init(_ type: CBUUID, _ value: Any?) {
    content = value
    super.init(type)
  }
}

/// A descriptor that the app publishes.
open class CBMutableDescriptor: CBDescriptor {
  /// - Parameters:
  ///   - UUID: The UUID of the descriptor; the system makes 2900, 2902 and 2903 itself.
  ///   - value: A `String` for 2901, otherwise a `Data`; the value never changes.
  public init(type UUID: CBUUID, value: Any?) { super.init(UUID, value) }
}
