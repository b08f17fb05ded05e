package import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
package import BleperaRadio
import Glibc

/// A published L2CAP channel: a socket of the kernel that listens, of which bluetoothd knows nothing.
struct BlueZChannel {
  let descriptor: CInt
  /// Nil for a moment where the process has too many descriptors.
  var watch: EventSource?
}

/// L2CAP channels.
extension BlueZRadio {
  private static let descriptorPause = Duration.seconds(1)

  package func publishChannel(
    isEncrypted: Bool, _ completion: @escaping @Sendable (Result<L2CAPPSM, RadioFailure>) -> Void
  ) {
    guard let adapter else { return completion(.failure(RadioFailure("there is no adapter"))) }
    do throws(RadioFailure) {
      let (descriptor, psm) = try L2CAPSocket.listen(
        on: adapter, isEncrypted: isEncrypted, besides: Set(channels.keys))
      channels[psm] = BlueZChannel(descriptor: descriptor)
      watch(psm)
      completion(.success(psm))
    } catch {
      completion(.failure(error))
    }
  }

  package func unpublishChannel(_ psm: L2CAPPSM) {
    guard let channel = channels.removeValue(forKey: psm) else { return }
    channel.watch?.cancel()
    close(channel.descriptor)
  }

  private func watch(_ psm: L2CAPPSM) {
    guard let descriptor = channels[psm]?.descriptor else { return }
    channels[psm]?.watch = loop.watch(
      descriptor: descriptor, for: .reading, callback { this, _ in this.acceptChannels(psm) })
  }

  private func acceptChannels(_ psm: L2CAPPSM) {
    while let listener = channels[psm]?.descriptor {
      guard let (descriptor, address) = L2CAPSocket.accept(from: listener) else {
        guard errno == EMFILE || errno == ENFILE else { return }
        // The listener stays readable; watching it would take all the time of the loop.
        channels[psm]?.watch?.cancel()
        channels[psm]?.watch = loop.schedule(after: Self.descriptorPause, callback { $0.watch(psm) })
        return
      }
      let stream = DescriptorStream(
        loop: loop, descriptor: descriptor, packet: L2CAPSocket.packets(of: descriptor))
      report(.channelOpened(psm, channelCentral(address), stream))
    }
  }

  private func channelCentral(_ address: String) -> RadioCentral {
    let device = connectedCentrals.first { $0.id.rawValue == address }
    return device ?? RadioCentral(id: CentralID(rawValue: address))
  }
}
