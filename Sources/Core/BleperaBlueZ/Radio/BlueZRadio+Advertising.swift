package import BleperaBlueZProtocol
import BleperaDBus
import BleperaLoop
package import BleperaRadio

/// The requested advertisement and its state on the air.
struct BlueZAir: Sendable {
  /// The advertisement that was requested last; nil for none.
  var requested: RadioAdvertisement? { didSet { translate() } }
  /// By the advertisement's number, from 0; including advertisements that are being removed.
  var objects: [Int: (content: AdvertisementContent, tree: ObjectTree)] = [:]
  /// Whether `advertising` has been reported for the contents.
  var isReported = false
  /// Whether bluetoothd takes the content of scan responses.
  var takesScanResponses = false { didSet { translate() } }
  /// The translation of `ofApps`.
  private(set) var contents: [AdvertisementContent] = []

  /// `requested`, unless the phone sends it of its own: bluetoothd has the advertisements of apps alone.
  var ofApps: RadioAdvertisement? { requested.flatMap { $0.isOwn ? nil : $0 } }

  private mutating func translate() {
    contents = ofApps.map { AdvertisementContent.contents(for: $0, takesScanResponses: takesScanResponses) } ?? []
  }
}

extension BlueZRadio {
  package func advertise(_ advertisement: RadioAdvertisement?) {
    air.requested = advertisement
    air.isReported = false
    run(.wanted(advertisement))
    applyDefaultInterval()
    let contents = isExact ? [] : air.contents
    let removed = air.objects.keys.filter { $0 >= contents.count }.sorted()
    let changed = contents.indices.filter { air.objects[$0]?.content != contents[$0] }
    for number in changed {
      let path = path(.advertisement(number))
      if air.objects[number] == nil { export(advertisement: number) }
      air.objects[number] = (contents[number], AdvertisementObject.tree(at: path, content: contents[number]))
    }
    run(
      .replace(
        removed: removed.map { .advertisement($0) }, wanted: contents.indices.map { .advertisement($0) },
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

  /// An advertisement that is registered again after a connection is not reported again.
  func reportIfOnAir() {
    guard !air.isReported, isOnAir else { return }
    air.isReported = true
    report(.advertising)
  }

  private var isOnAir: Bool {
    if isExact { return kernel.exact.isOnAir }
    let contents = air.contents
    return !contents.isEmpty && contents.indices.allSatisfy { isRegistered(.advertisement($0)) }
  }

  func advertisingFailed(_ failure: DBusFailure, count: Int) {
    air.isReported = false
    report(.advertisingFailed(RadioFailure(failure), count: count))
  }

  func advertisementLost() {
    guard air.isReported else { return }
    air.isReported = false
    report(.advertisingLost)
  }

  func advertisementStopped(_ number: Int) {
    air.objects[number] = nil
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
