package import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
package import BleperaRadio
import Glibc

/// A published L2CAP channel: a listening socket of the kernel, unknown to bluetoothd.
struct BlueZChannel {
  let descriptor: CInt
  let listener: SocketListener
}

extension BlueZRadio {
  package func publishChannel(
    isEncrypted: Bool, _ completion: @escaping @Sendable (Result<L2CAPPSM, RadioFailure>) -> Void
  ) {
    guard let adapter else { return completion(.failure(RadioFailure("there is no adapter"))) }
    do throws(RadioFailure) {
      let (descriptor, psm) = try L2CAPSocket.listen(
        on: adapter, isEncrypted: isEncrypted, besides: Set(channels.keys))
      let listener = SocketListener(loop: loop, descriptor: descriptor) { [weak self] in
        self?.assumeIsolated { $0.acceptChannels(psm) } ?? 0
      }
      channels[psm] = BlueZChannel(descriptor: descriptor, listener: listener)
      completion(.success(psm))
    } catch {
      completion(.failure(error))
    }
  }

  package func unpublishChannel(_ psm: L2CAPPSM) {
    guard let channel = channels.removeValue(forKey: psm) else { return }
    channel.listener.cancel()
    close(channel.descriptor)
  }

  /// Returns the error of the system once nothing waits; 0 for a channel that is no longer published.
  private func acceptChannels(_ psm: L2CAPPSM) -> CInt {
    while let listener = channels[psm]?.descriptor {
      guard let (descriptor, address) = L2CAPSocket.accept(from: listener) else { return errno }
      let stream = DescriptorStream(
        loop: loop, descriptor: descriptor, packet: L2CAPSocket.packets(of: descriptor))
      report(.channelOpened(psm, channelCentral(address), stream))
    }
    return 0
  }

  private func channelCentral(_ address: String) -> RadioCentral {
    let device = connectedCentrals.first { $0.id.rawValue == address }
    return device ?? RadioCentral(id: CentralID(rawValue: address))
  }
}
