package import BleperaBluetooth
import BleperaHost
import BleperaLoop
package import BleperaRadio

/// L2CAP channels.
extension HostRadio {
  package func publishChannel(
    isEncrypted: Bool, _ completion: @escaping @Sendable (Result<L2CAPPSM, RadioFailure>) -> Void
  ) {
    let psm = L2CAPPSM.dynamic.lazy.map { L2CAPPSM(rawValue: $0) }.first { channels[$0] == nil }
    if let psm { channels[psm] = isEncrypted }
    later { this in
      guard let psm else { return completion(.failure(.noFreePSM)) }
      this.publishChannels()
      completion(.success(psm))
    }
  }

  package func unpublishChannel(_ psm: L2CAPPSM) {
    guard channels.removeValue(forKey: psm) != nil else { return }
    later { if $0.channels[psm] == nil { $0.ask(.unpublishChannel(psm)) } }
  }

  /// Publishes the channels, also again after the adapter was unplugged.
  func publishChannels() {
    for (psm, isEncrypted) in channels { ask(.publishChannel(psm, isEncrypted: isEncrypted)) }
  }

  func channelOpened(_ end: ChannelEnd, _ psm: L2CAPPSM) {
    guard let central = links[end.link]?.central else { return ask(.closeChannel(end)) }
    report(.channelOpened(psm, radioCentral(central), ChannelStream(of: adapter, end)))
  }

  /// The phone has ended, and its channels with it.
  func endChannels() {
    for psm in channels.keys { ask(.unpublishChannel(psm)) }
    channels = [:]
    for end in adapter.openChannelEnds { ask(.closeChannel(end)) }
  }
}
