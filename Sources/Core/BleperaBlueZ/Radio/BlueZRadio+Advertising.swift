package import BleperaBlueZProtocol
import BleperaDBus
import BleperaLoop
package import BleperaRadio

extension BlueZRadio {
  package func advertise(_ advertisement: RadioAdvertisement?) {
    air.request(advertisement)
    run(.wanted(advertisement))
    applyDefaultInterval()
    let (removed, changed, added) = air.update(isExact: isExact) { path(.advertisement($0)) }
    for number in added { export(advertisement: number) }
    let wanted = isExact ? 0..<0 : air.contents.indices
    run(
      .replace(
        removed: removed.map { .advertisement($0) }, wanted: wanted.map { .advertisement($0) },
        changed: changed.map { .advertisement($0) }))
    reportIfOnAir()
  }

  func export(advertisement number: Int) {
    export(at: path(.advertisement(number))) { this, call in this.receive(call, advertisement: number) }
  }

  private func receive(_ call: IncomingCall, advertisement number: Int) {
    guard let tree = air.objects[number]?.tree else { return }
    respond(to: call, as: tree) { this in
      // Release: bluetoothd has dropped the advertisement.
      this.reply(call, .success([]))
      this.run(.released(.advertisement(number)))
    }
  }

  func reportIfOnAir() {
    if air.reports(isOnAir: isOnAir) { report(.advertising) }
  }

  private var isOnAir: Bool {
    if isExact { return kernel.exact.isOnAir }
    let contents = air.contents
    return !contents.isEmpty && contents.indices.allSatisfy { isRegistered(.advertisement($0)) }
  }

  func advertisingFailed(_ failure: DBusFailure, count: Int) {
    air.lose()
    report(.advertisingFailed(RadioFailure(failure), count: count))
  }

  func advertisementLost() {
    if air.lose() { report(.advertisingLost) }
  }

  func advertisementStopped(_ number: Int) {
    air.forget(number)
    unexport(at: path(.advertisement(number)))
    if air.ofApps == nil, air.objects.isEmpty, !isExact { report(.advertisingStopped) }
  }

  package var packets: [RadioPacket] {
    if isExact {
      return air.requested.map { packet in
        RadioPacket(
          advertisingData: packet.advertisingData, scanResponse: packet.scanResponse, interval: packet.interval,
          isOnAir: kernel.exact.isOnAir, isOwn: packet.isOwn)
      }.map { [$0] } ?? []
    }
    return air.contents.enumerated().map { number, content in
      RadioPacket(
        advertisingData: content.advertisingData, scanResponse: content.scanResponse,
        interval: honorsIntervals == false ? kernel.defaultInterval : content.interval?.onAir,
        isOnAir: isRegistered(.advertisement(number)))
    }
  }

  package var address: RadioAddress? { nil }

  package var limitations: [RadioLimitation] { limitations(only: nil) }

  package func limitation(_ id: String) -> RadioLimitation? { limitations(only: id).first { $0.id == id } }

  private func limitations(only id: String?) -> [RadioLimitation] {
    let isDefaultApplied = isDefaultApplied
    var others = BlueZLimitation.applying(
      to: isExact ? air.requested : air.ofApps, daemon: version,
      honorsIntervals: isDefaultApplied ? nil : honorsIntervals,
      takesScanResponses: air.takesScanResponses, isExact: isExact, only: id)
    if role.manager != nil { others += BlueZLimitation.central(daemon: version, only: id) }
    if isDefaultApplied { others.removeAll { $0.id == BlueZLimitation.wholeMilliseconds } }
    if kernel.hasPrivacy { others.removeAll { $0.id == RadioLimitation.presence } }
    let found = [
      kernel.obstacle.map { RadioLimitation(notExact: $0) },
      kernel.exact.ghosts > 0 ? RadioLimitation(ghosts: kernel.exact.ghosts) : nil,
    ]
    return found.compactMap(\.self) + others
  }

  package var implementation: String? { version.map { "bluetoothd \($0)" } }

  /// The release of bluetoothd; nil if unknown.
  package var version: DaemonVersion? { adapter?.version }

  /// Whether bluetoothd honors MinInterval and MaxInterval; nil if unknown.
  package var honorsIntervals: Bool? {
    adapter.flatMap { BluetoothDaemon($0).honorsIntervals }
  }
}
