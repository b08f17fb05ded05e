/// The number of an L2CAP channel.
public typealias CBL2CAPPSM = UInt16

/// A channel for a stream of bytes. blepera does not have such channels: the calls for them answer
/// ``CBError/operationNotSupported``.
open class CBL2CAPChannel: NSObject {
  /// The device at the other end.
  open var peer: CBPeer! { nil }
  /// What the device sends.
  open var inputStream: InputStream! { nil }
  /// What is sent to the device.
  open var outputStream: OutputStream! { nil }
  /// The number of the channel.
  open var psm: CBL2CAPPSM { 0 }

  override init() { super.init() }
}
