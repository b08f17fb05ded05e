import BleperaAppLink
import BleperaLoop

/// The number of an L2CAP channel.
public typealias CBL2CAPPSM = UInt16

/// An open channel for a stream of bytes in both directions. The channel ends when both streams are closed or the
/// object is deallocated.
open class CBL2CAPChannel: NSObject {
  /// The device at the other end.
  open var peer: CBPeer! { central }
  /// The bytes from the device. `read` waits for the first byte; as on iOS, `hasBytesAvailable` and the delegate's
  /// ``Foundation/Stream/Event`` show when there are bytes.
  open var inputStream: InputStream! { input }
  /// The bytes to the device.
  open var outputStream: OutputStream! { output }
  /// The number of the channel.
  open var psm: CBL2CAPPSM { number }

  private let central: CBPeer
  private let number: CBL2CAPPSM
  private let input: ChannelInputStream
  private let output: ChannelOutputStream

  init(_ stream: any ByteStream, peer: CBPeer, psm: CBL2CAPPSM, port: any AppPort) {
    (central, number) = (peer, psm)
    let buffer = ChannelBuffer(stream)
    (input, output) = (ChannelInputStream(buffer, port), ChannelOutputStream(buffer, port))
    super.init()
  }

  deinit {
    input.close()
    output.close()
  }
}
