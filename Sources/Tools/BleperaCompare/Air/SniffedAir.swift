import BleperaBluetooth
import BleperaRules

/// The receiver of the packets.
package enum AirReceiver: Sendable {
  case sniffer
  /// bluetoothd, which reports an advertisement joined with its scan response, in its own order, and does not report
  /// every packet.
  case daemon
  /// A host that met the phone, by its controller's reports. The times are the host's.
  case host
}

/// Finds a phone among the packets of a sniffer, and measures the rules' values that it shows.
package struct SniffedAir: Sendable {
  private let selection: PhoneSelection
  private let receiver: AirReceiver
  private var tracks: [UInt64: AirTrack] = [:]
  /// The number of tracks above which old ones are dropped.
  private var mostTracks = fewestTracks
  /// The phone's sets. Handoff's gaps count only while its interval is the long one.
  private var sets: [PhoneContent.Kind: AirSet] = [:]
  private var newHandoff = Gaps()
  /// The latest packet of each new Handoff with the short interval, in milliseconds since the change.
  private var newTimes: [Int64: Double] = [:]
  private var links = SniffedLinks()
  private var layout = ContentTally()
  private(set) var lockChanges = LockChanges()
  /// The times at which connectable addresses of the phone were first seen.
  private var addressStarts: [Int64] = []
  /// The unit of all times, in nanoseconds. A file often gives a finer resolution than its clock has.
  private var unit: Int64 = 1_000_000_000
  private var changes = Times()
  private var overflows = Tally<OverflowArea>()
  /// The weakest and the strongest signal, in dBm.
  private var signals: ClosedRange<Int8>?
  /// The number of the phone's advertisements and scan responses.
  package private(set) var packets = 0

  package init(_ selection: PhoneSelection, receiver: AirReceiver = .sniffer) {
    (self.selection, self.receiver) = (selection, receiver)
  }

  private var isOfDaemon: Bool { receiver == .daemon }

  func isOfPhone(_ address: UInt64) -> Bool { tracks[address]?.isOfPhone ?? selection.has(address) }

  /// - Parameters:
  ///   - app: the app's state in the scene, if known.
  ///   - hasGap: whether packets between the last one and this would have been reported.
  package mutating func add(_ packet: CapturedPacket, _ app: AppScene? = nil, hasGap: Bool = true) {
    guard case .air(let air) = packet.content, air.isCRCRight != false, let header = air.pdu.first else { return }
    guard air.accessAddress == AccessAddress.advertising else { return links.add(air, at: packet.time) }
    let bytes = air.pdu[...]
    guard let address = bytes.address(at: 2) else { return }
    let (type, data, time) = (header & 0xF, bytes.from(8), packet.time)
    if type == Self.connect, let peripheral = bytes.address(at: 8) {
      let isOfCentral = selection.has(address)
      guard isOfCentral || isOfPhone(peripheral) else { return }
      return links.connect(bytes, isOfCentral: isOfCentral, at: time)
    }
    guard Self.advertisements.contains(type) || type == Self.scanResponse else { return }
    while time % unit != 0 { unit /= 10 }
    if tracks.count > mostTracks { forget(before: time - Self.memory) }
    var track = tracks[address] ?? AirTrack(at: time)
    defer { tracks[address] = track }
    let before = track
    if type == Self.scanResponse {
      track.scanResponse(data, at: time)
      recognize(&track, address, isConnectable: true)
      guard track.isOfPhone else { return }
    } else {
      let gap = track.advertisement(data, channel: air.channel, at: time)
      recognize(&track, address, isConnectable: type == 0)
      guard track.isOfPhone else { return }
      // bluetoothd reports either the overflow area or Apple's other items, whichever it received last.
      layout.add(track.content, hasItems: !isOfDaemon || track.content.overflow == nil)
      if let status = track.content.status { lockChanges.add(status, at: time) }
      if let change = track.change, change < Self.longestChange { changes.add(change) }
      if hasGap, let gap, track.content.kind == before.content.kind { count(gap, track, app, at: time) }
    }
    packets += 1
    if let signal = air.signal {
      signals = min(signal, signals?.lowerBound ?? signal)...max(signal, signals?.upperBound ?? signal)
    }
    if track.changed != before.changed { layout.addLayout(before.content, before.packets) }
    sets[track.content.kind(in: app), default: AirSet()].add(address, at: time)
    if let overflow = track.content.overflow, !overflow.isEmpty { overflows.add(overflow) }
  }

  /// The longest change of content that counts, in nanoseconds: over a longer time, packets were missed.
  private static let longestChange: Int64 = 1_000_000_000

  private static let advertisements: Set<UInt8> = [0, 2, 6]
  private static let scanResponse: UInt8 = 4
  private static let connect: UInt8 = 5
  private static let fewestTracks = 20_000
  /// The age in nanoseconds above which tracks of other devices are dropped.
  private static let memory: Int64 = 60_000_000_000

  private mutating func forget(before time: Int64) {
    tracks = tracks.filter { $0.value.isOfPhone || $0.value.last >= time }
    // So many addresses within that time do not belong to real devices.
    if tracks.count > mostTracks / 2 { tracks = tracks.filter(\.value.isOfPhone) }
    mostTracks = max(Self.fewestTracks, 2 * tracks.count)
  }

  private mutating func recognize(_ track: inout AirTrack, _ address: UInt64, isConnectable: Bool) {
    guard !track.isOfPhone, selection.has(address) || selection.has(track.content) else { return }
    track.isOfPhone = true
    if isConnectable { addressStarts.append(track.first) }
  }

  private mutating func count(_ gap: Int64, _ track: AirTrack, _ app: AppScene?, at time: Int64) {
    let age = Double(time - track.changed) / 1e6
    guard track.content.kind == .handoff else {
      return sets[track.content.kind(in: app), default: AirSet()].gaps.add(gap)
    }
    if age < Self.surelyNew { newHandoff.add(gap) }
    if age > Self.surelyOld { sets[.handoff, default: AirSet()].gaps.add(gap) }
    if Double(gap) / 1e6 < Self.shortGap, age < Self.surelyOld { newTimes[track.changed] = age }
  }

  /// The ages in milliseconds at which a content of Handoff surely has the short and the long interval.
  private static let surelyNew = 1000.0
  private static let surelyOld = 4000.0
  /// A gap of the short interval with one packet missed, in milliseconds.
  private static let shortGap = 90.0

  /// The resolution of the capture's clock, in milliseconds.
  private var resolution: Double { receiver == .host ? Self.coarse : max(0.01, Double(unit) / 1e6) }
  /// The resolution in milliseconds from which on a clock does not show the delay.
  private static let coarse = 1.0

  func gaps(_ name: String) -> Gaps? {
    isOfDaemon ? nil : PhoneContent.Kind.intervals.first { $0.name == name }.flatMap { sets[$0.kind]?.gaps }
  }

  /// The estimate of a rule's value that is an interval; nil if the phone did not send the kind.
  package func estimate(_ name: String) -> Gaps.Estimate? { gaps(name)?.estimate(resolution: resolution) }

  /// The layouts, including the contents that are still sent.
  private var layouts: Tally<String> {
    tracks.values.filter(\.isOfPhone).reduce(into: layout) { $0.addLayout($1.content, $1.packets) }.layouts
  }

  package var observations: [Observation] {
    sets.sorted { "\($0.key)" < "\($1.key)" }.map { kind, set in
      let estimate = isOfDaemon ? nil : set.gaps.estimate(resolution: resolution)
      return set.observation(kind, estimate, isOfDaemon: isOfDaemon)
    }
      + layouts.observations(isOfDaemon ? "contents" : "layout") + links.log.observations
      + overflows.observations("overflow area") { overflow in
        "\(overflow.bits.count == 1 ? "bit" : "bits") \(overflow.bits.map(String.init).joined(separator: ", "))"
      }
      + (signals.map { [Observation("signal", "\($0.lowerBound) to \($0.upperBound) dBm", packets)] } ?? [])
      + (changes.count > 0 && !isOfDaemon
        ? [Observation("last packet to changed one", changes.text, changes.count)] : [])
  }

  /// The values that bluetoothd's reports show, by names of `VisibleValue`.
  static let ofDaemon: Set<String> = ["txPowerLevel", "backgroundAppleItems", "nearbyInfoStatus", "addressRotation"]

  /// The measured values, by names of `VisibleValue`.
  package var measurements: [Measurement] {
    isOfDaemon ? all.filter { Self.ofDaemon.contains($0.name) } : all
  }

  private var all: [Measurement] {
    var found = layout.measurements(of: selection.services)
    if let status = lockChanges.measurement { found.append(status) }
    found += links.log.measurements
    var best: Gaps.Interval?
    for (name, _) in PhoneContent.Kind.intervals {
      guard case .interval(let interval) = estimate(name) else { continue }
      found.append(
        Measurement(name, .milliseconds(interval.milliseconds), error: interval.error, packets: interval.gaps))
      if interval.gaps > best?.gaps ?? 0 { best = interval }
    }
    if case .interval(let then)? = sets[.handoff]?.gaps.estimate(resolution: resolution) {
      var (first, errors) = (nil as Double?, ["newTime": Self.shortGap, "then": then.error])
      if case .interval(let interval) = newHandoff.estimate(resolution: resolution) {
        (first, errors["first"]) = (interval.milliseconds, interval.error)
      }
      found.append(
        .handoffInterval(
          first: first, newTimes: Array(newTimes.values), then: then.milliseconds, errors: errors, packets: then.gaps))
    }
    if let best, resolution < Self.coarse {
      found.append(
        Measurement(
          "advertisingDelay",
          .fields([
            .init("maximum", .milliseconds((best.delay * 100).rounded() / 100)),
            .init("step", .milliseconds(best.step ?? 0)),
          ]),
          error: 2 * best.error, packets: best.gaps))
    }
    let starts = addressStarts.sorted()
    // The first address is older than the capture, so its time is left out.
    let rotations = zip(starts.dropFirst(), starts.dropFirst(2)).map { Double($1 - $0) / 1e6 }
    if let rotation = Measurement.addressRotation(rotations) { found.append(rotation) }
    return found
  }
}
