package import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BleperaRadio
import BleperaRules
import FoundationEssentials

/// The contents of `blepera status`.
extension EmulatedPhone {
  package func status() -> PhoneStatus {
    let limitations = limitations
    let defects = PhoneDefect.allCases.filter(central.rules.defects.contains).map(\.rawValue)
    var status = PhoneStatus(
      ios: policy.rules.version.rawValue, adapter: power.radio?.adapter,
      bluez: withRadio { $0.implementation } ?? nil, radio: radioName,
      address: addressStatus, screenLocked: policy.isScreenLocked,
      stateFolder: saving.store.path, apps: policy.statuses(at: now).map(appStatus),
      air: airStatus,
      subscribers: subscriberStatuses, channels: channelStatuses, limitations: limitations,
      defects: defects.isEmpty ? nil : defects,
      warnings: [
        RadioLimitation.exact, RadioLimitation.ghosts, RadioLimitation.intervals, RadioLimitation.presence,
      ]
      .compactMap { id in limitations.first { $0.id == id }?.warning }
        + [saving.damage, saving.failure].compactMap { $0 } + sizeWarnings(limitations)
        + saving.leftOut.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })
    status.bonds = bondStatuses
    status.pairings = pairingStatuses
    status.controller = withRadio { $0.controller } ?? nil
    return status
  }

  /// The events that describe the current state, for a new watcher, with the bundle identifier of the app that an event
  /// concerns.
  package var currentStateEvents: [(event: PhoneEvent, app: String?)] {
    let events: [PhoneEvent?] = [
      power.radio.map { .radio($0) }, reported(RadioLimitation.exact).map { .packetsNotExact($0) },
      reported(RadioLimitation.intervals).map { .intervalsIgnored($0) },
      saving.damage.map { .stateDamaged($0) }, saving.failure.map { .notSaved($0) },
      saving.isScreenRestored ? .screenRestored : nil,
    ]
    let leftOut = saving.leftOut.sorted { $0.key < $1.key }.map { (event: PhoneEvent.notSaved($0.value), app: $0.key) }
    let restorations = apps.ids.compactMap { id in
      apps[id]?.former.map { (event: $0.restoration, app: identifier(id)) }
    }
    return (events.compactMap { $0 } + defectEvents).map { (event: $0, app: nil) } + leftOut + restorations
  }

  private func reported(_ id: String) -> String? { advertising.hasReported(warning: id) ? warning(id) : nil }

  /// Warns that a central may miss something because there are so many services.
  private func sizeWarnings(_ limitations: [RadioLimitation]) -> [String] {
    func instead(_ id: String) -> String? { limitations.first { $0.id == id }?.instead }
    var warnings: [String] = []
    if let highest = services.highestHandle, highest > HandleAllocator.hashed.upperBound,
      let instead = instead(RadioLimitation.databaseHash)
    {
      warnings.append("The services reach handle \(highest). \(instead)")
    }
    if services.matchRules > 400, let instead = instead(RadioLimitation.updates) { warnings.append(instead) }
    return warnings
  }

  private var radioName: PhoneStatus.Radio {
    switch power.radio {
    case nil: .unknown
    case .noDaemon: .noDaemon
    case .noAdapter: .noAdapter
    case .poweredOff: .poweredOff
    case .poweredOn: .poweredOn
    }
  }

  private var addressStatus: PhoneStatus.Address? {
    (withRadio { $0.address } ?? nil).map { address in
      PhoneStatus.Address(
        current: address.current, identity: address.identity, irk: address.key)
    }
  }

  private func appStatus(_ status: AppStatus) -> PhoneStatus.App {
    func seconds(_ duration: Duration?) -> Double? { duration.map { ($0 / .milliseconds(100)).rounded(.up) / 10 } }
    var shown = PhoneStatus.App(
      identifier: identifier(status.app), name: status.identity.name, state: status.state,
      backgroundMode: status.identity.hasBackgroundMode, secondsLeft: seconds(status.budgetLeft),
      throttledSeconds: seconds(status.throttledFor), queuedEvents: status.queueLength,
      droppedEvents: status.dropped, pendingRequests: status.pendingRequests, overruns: status.overruns,
      localName: status.requested?.localName,
      serviceUUIDs: status.requested?.serviceUUIDs.map { "\($0)" },
      advertisingWithheldBy: status.advertisingWithheldBy.map { "\($0)" })
    shown.central = centralStatus(of: status.app)
    guard let app = apps[status.app],
      let restore = app.managers.lazy.compactMap(\.id.restoreIdentifier).first
    else { return shown }
    shown.restoreIdentifier = restore
    shown.preservedSince = app.since.formatted(.iso8601)
    shown.terminationCause = status.terminationCause
    shown.terminatedAt = app.ended?.at.formatted(.iso8601)
    shown.failedRelaunches = status.failedRelaunches
    switch status.relaunch {
    case nil: break
    case .byUser: shown.relaunch = .byUser
    case .ready: shown.relaunch = launcher?.isLaunchedByUserOnly(app.process) == true ? .manual : .nextEvent
    case .backingOff(let time): (shown.relaunch, shown.relaunchSeconds) = (.backingOff, seconds(time))
    case .afterFirstUnlock: shown.relaunch = .afterUnlock
    case .inProgress: shown.relaunch = .inProgress
    case .givenUp: shown.relaunch = .givenUp
    }
    return shown
  }

  private var airStatus: PhoneStatus.Air {
    let plan = policy.plan
    let packets = withRadio { $0.packets } ?? []
    return PhoneStatus.Air(
      advertisements: packets.map { packet in
        PhoneStatus.Air.Packet(
          advertisingData: Hex.string(packet.advertisingData.bytes),
          scanResponse: Hex.string(packet.scanResponse.bytes), isRegistered: packet.isOnAir, isOwn: packet.isOwn)
      },
      intervalKind: plan.intervalKind?.rawValue,
      requestedInterval: (plan.interval ?? packets.first.flatMap { $0.isOwn ? plan.own?.interval : nil })
        .map(Self.interval),
      effectiveInterval: packets.first?.interval.map(Self.interval),
      overflowServiceUUIDs: plan.overflow.map { "\($0.uuid)" },
      reasons: plan.reasons.map { apps.values.count > 1 ? "\(identifier($0.app)): \($0)" : "\($0)" })
  }

  private static func interval(_ interval: AdvertisingInterval) -> PhoneStatus.Air.Interval {
    PhoneStatus.Air.Interval(minimum: interval.minimum, maximum: interval.maximum)
  }

  /// For each characteristic, the subscribers that the radio knows and then the restored ones.
  private var subscriberStatuses: [PhoneStatus.Subscriber] {
    apps.ids.flatMap { id in
      services.characteristics(of: id).flatMap { characteristic in
        func status(_ central: CentralID) -> PhoneStatus.Subscriber {
          PhoneStatus.Subscriber(
            central: central.rawValue, app: identifier(id), service: "\(characteristic.service.uuid)",
            characteristic: "\(characteristic.service.characteristics[characteristic.id.index].uuid)")
        }
        let current = subscribers(of: characteristic.handle)
        let awaited = restored.all.filter {
          $0.subscription.app == id && $0.subscription.characteristic == characteristic.id
        }
        return current.map { status($0.id) }
          + awaited.map { entry in
            var awaited = status(entry.subscription.central)
            (awaited.isAwaited, awaited.retainedValues, awaited.droppedValues) = (true, entry.kept, entry.dropped)
            return awaited
          }
      }
    }
  }
}
