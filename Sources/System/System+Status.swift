import AppLink
import BlueZ
package import Control
import FoundationEssentials
import GATT
import Policy
import Preservation

/// What `status` shows.
extension System {
  package func status() -> SystemStatus {
    SystemStatus(
      ios: policy.rules.version.rawValue, adapter: radio?.adapter,
      bluez: peripheral?.assumeIsolated { $0.version }?.description, radio: radioName,
      screenLocked: policy.isScreenLocked, apps: policy.statuses(at: now).map(appStatus), air: airStatus,
      subscribers: subscriberStatuses, warnings: [intervalWarning, damage, savingFailure].compactMap { $0 })
  }

  /// The events that say how things stand, for who begins to watch now.
  package var standing: [SystemEvent] {
    let events: [SystemEvent?] = [
      radio.map { .radio($0) }, hasToldIntervals ? intervalWarning.map { .intervalsIgnored($0) } : nil,
      damage.map { .stateDamaged($0) }, savingFailure.map { .notSaved($0) },
    ]
    return events.compactMap { $0 }
  }

  private var radioName: String {
    switch radio {
    case nil: "unknown"
    case .noDaemon: "noDaemon"
    case .noAdapter: "noAdapter"
    case .poweredOff: "poweredOff"
    case .poweredOn: "poweredOn"
    }
  }

  private func appStatus(_ status: AppStatus) -> SystemStatus.App {
    func seconds(_ duration: Duration?) -> Double? { duration.map { ($0 / .milliseconds(100)).rounded(.up) / 10 } }
    var shown = SystemStatus.App(
      identifier: identifier(status.app), name: status.description.name, state: status.state.rawValue,
      backgroundMode: status.description.hasBackgroundMode, budgetLeft: seconds(status.budgetLeft),
      throttledFor: seconds(status.throttledFor), queued: status.queueLength, dropped: status.dropped,
      unanswered: status.unanswered, overstays: status.overstays, localName: status.asked?.localName,
      serviceUUIDs: status.asked?.serviceUUIDs.map { "\($0)" },
      advertisingWithheldBy: status.advertisingWithheldBy.map { "\($0)" })
    guard let app = apps[status.app], let restore = app.identity.restoreIdentifier else { return shown }
    shown.restoreIdentifier = restore
    shown.preservedSince = app.since.formatted(.iso8601)
    shown.ended = status.ended?.rawValue
    shown.endedAt = app.ended?.at.formatted(.iso8601)
    shown.failedRelaunches = status.failedRelaunches
    switch status.relaunch {
    case nil: break
    case .byUser: shown.relaunch = "byUser"
    case .ready: shown.relaunch = "nextEvent"
    case .backingOff(let time): (shown.relaunch, shown.relaunchIn) = ("backingOff", seconds(time))
    case .afterFirstUnlock: shown.relaunch = "afterUnlock"
    case .underWay: shown.relaunch = "underWay"
    case .givenUp: shown.relaunch = "givenUp"
    }
    return shown
  }

  private var airStatus: SystemStatus.Air {
    let plan = policy.plan
    let takesIntervals = peripheral?.assumeIsolated { $0.takesIntervals } ?? nil
    return SystemStatus.Air(
      advertisements: plan.advertisements.enumerated().map { number, advertisement in
        SystemStatus.Air.Packet(
          advertisingData: Hex.string(advertisement.advertisingData.bytes),
          scanResponse: Hex.string(advertisement.scanResponse.bytes), isRegistered: air.registered.contains(number))
      },
      pace: plan.pace?.rawValue,
      intervalAskedFor: plan.interval.map { SystemStatus.Air.Interval(minimum: $0.minimum, maximum: $0.maximum) },
      intervalInForce: takesIntervals == true ? plan.interval.map(Self.controllerInterval) : nil,
      overflow: plan.overflow.map { "\($0.uuid)" },
      reasons: plan.reasons.map { apps.count > 1 ? "\(identifier($0.app)): \($0)" : "\($0)" })
  }

  private static func controllerInterval(_ interval: AdvertisingInterval) -> SystemStatus.Air.Interval {
    SystemStatus.Air.Interval(minimum: interval.controllerMinimum, maximum: interval.controllerMaximum)
  }

  private func awaited(_ id: AppID, _ service: ServiceID, _ index: Int) -> [SystemStatus.Subscriber] {
    guard let definition = apps[id]?.services[service]?.definition else { return [] }
    let characteristic = CharacteristicID(service: service, index: index)
    return awaiting.all.filter { $0.subscription.app == id && $0.subscription.characteristic == characteristic }.map {
      SystemStatus.Subscriber(
        central: $0.subscription.central.rawValue, app: identifier(id), service: "\(definition.uuid)",
        characteristic: "\(definition.characteristics[index].uuid)", isAwaited: true, kept: $0.kept,
        dropped: $0.dropped)
    }
  }

  private var subscriberStatuses: [SystemStatus.Subscriber] {
    guard let peripheral else { return [] }
    return apps.keys.sorted().flatMap { id -> [SystemStatus.Subscriber] in
      guard let app = apps[id] else { return [] }
      return app.serviceIDs.flatMap { serviceID -> [SystemStatus.Subscriber] in
        guard let service = app.services[serviceID] else { return [] }
        return service.definition.characteristics.enumerated().flatMap { index, characteristic in
          peripheral.assumeIsolated { $0.subscribers(of: service.address(of: index)) }.map { device in
            SystemStatus.Subscriber(
              central: device.address, app: identifier(id), service: "\(service.definition.uuid)",
              characteristic: "\(characteristic.uuid)")
          } + awaited(id, serviceID, index)
        }
      }
    }
  }
}
