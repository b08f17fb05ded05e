import BlueZ
import GATT
import Policy
import System

extension SystemEvent {
  /// What happened, for a trace.
  var line: String {
    switch self {
    case .radio(.poweredOn(let adapter)): "powered on \(adapter)"
    case .radio(.poweredOff(let adapter)): "powered off \(adapter)"
    case .radio(.noAdapter): "no adapter"
    case .radio(.noDaemon): "no bluetoothd"
    case .poweringFailed(_, let failure): "not powered: \(failure)"
    case .published(let service, let handles): "published \(service.uuid), handles \(handles.start) to \(handles.end)"
    case .publishingFailed(let service, let reason): "not published \(service): \(reason)"
    case .unpublished(let service): "unpublished \(service)"
    case .advertising(let plan, _): "advertising \(plan.line)"
    case .silent: "nothing on the air"
    case .advertisingFailed(let failure): "not advertised: \(failure)"
    case .advertisingLost, .advertisingStopped: "off the air"
    case .advertisingWithheld(_, let rule): "not advertised yet (\(rule))"
    case .intervalsIgnored(let text), .stateDamaged(let text), .notSaved(let text): text
    case .state(_, let state, let reason): "\(state.rawValue): \(reason)"
    case .queued(_, let notice): "queued \(notice.line)"
    case .dropped(_, let notice): "dropped \(notice.line)"
    case .terminated(_, let cause): "terminated: \(cause.rawValue)"
    case .preserved(_, let cause): "preserved after \(cause.rawValue)"
    case .restored(_, let services, let count):
      "restored \(services.map { "\($0)" }.joined(separator: " ")), \(count) subscriptions"
    case .relaunching(_, let reason): "relaunching: \(reason)"
    case .relaunchFailed(_, let reason): "not relaunched: \(reason)"
    case .relaunchGivenUp: "not relaunched any more"
    case .ended: "gone"
    case .kept(let centrals, let name, let value):
      "kept \(name.line)  \(Self.hex(value))  for \(centrals.joined(separator: " "))"
    case .connected(let device): "connected \(device.address)"
    case .disconnected(let device): "disconnected \(device.address)"
    case .paired(let device): "paired \(device.address)"
    case .pairingRefused(let device): "not paired \(device.address)"
    case .passkey(let device, let passkey): "passkey \(passkey) for \(device.address)"
    case .agentFailed(let failure): "no pairing: \(failure)"
    case .subscribed(let device, let name): "subscribed \(device.address)  \(name.line)"
    case .unsubscribed(let device, let name): "unsubscribed \(device.address)  \(name.line)"
    case .read(let device, let name, _, .value(let value), let isCached, _):
      "read \(device.address)  \(name.line)  \(Self.hex(value))\(isCached ? "  cached" : "")"
    case .read(let device, let name, _, .error(let error), _, let rule):
      "read \(device.address)  \(name.line)  \(error)\(rule.map { " (\($0))" } ?? "")"
    case .write(let device, let name, _, let value, let error, _, let rule):
      "write \(device.address)  \(name.line)  \(Self.hex(value))"
        + (error.map { "  \($0)\(rule.map { " (\($0))" } ?? "")" } ?? "")
    case .notified(let devices, let name, let value):
      "notified \(devices.map(\.address).joined(separator: " "))  \(name.line)  \(Self.hex(value))"
    case .confirmed(let name): "confirmed \(name.line)"
    case .busLost: "no bus"
    }
  }

  private static func hex(_ value: [UInt8]) -> String { Hex.string(value, separator: " ") }
}

extension SystemEvent.Notice {
  fileprivate var line: String {
    switch self {
    case .subscribed(let central): "subscription of \(central)"
    case .unsubscribed(let central): "end of a subscription of \(central)"
    }
  }
}

extension AttributeName {
  fileprivate var line: String { "\(characteristic)\(descriptor.map { " \($0)" } ?? "")" }
}

extension AdvertisementPlan {
  fileprivate var line: String {
    let packets = advertisements.map { advertisement in
      [advertisement.advertisingData, advertisement.scanResponse].map { Hex.string($0.bytes) }.joined(separator: " / ")
    }
    let interval = interval.map { "  every \($0.minimum) to \($0.maximum) ms" } ?? ""
    return packets.joined(separator: ", ") + interval
  }
}
