import BlueZ
import Control
import GATT
import Policy
package import System

extension EventRecord {
  /// - Parameter app: the bundle identifier of the app that it is of; nil where it is the phone's.
  package init(_ event: SystemEvent, of app: String?) {
    self.init(event)
    self.app = self.app ?? app
  }

  package init(_ event: SystemEvent) {
    switch event {
    case .radio(let state): self.init(state)
    case .poweringFailed(let adapter, let failure):
      self.init("poweringFailed")
      self.adapter = adapter
      reason = "\(failure)"
    case .published(let service, let handles):
      self.init("published")
      self.service = "\(service.uuid)"
      self.handles = [Int(handles.start.rawValue), Int(handles.end.rawValue)]
    case .publishingFailed(let service, let reason):
      self.init("publishingFailed")
      self.service = "\(service)"
      self.reason = reason
    case .unpublished(let service):
      self.init("unpublished")
      self.service = "\(service)"
    case .advertising(let plan, let heedsInterval): self.init(plan, heedsInterval)
    case .silent(let plan):
      self.init("silent")
      reasons = plan.reasons.map { "\($0)" }
    case .advertisingFailed(let failure):
      self.init("advertisingFailed")
      reason = "\(failure)"
    case .advertisingLost: self.init("advertisingLost")
    case .advertisingStopped: self.init("advertisingStopped")
    case .advertisingWithheld(let app, let rule):
      self.init("advertisingWithheld")
      self.app = app
      self.rule = "\(rule)"
    case .intervalsIgnored(let reason):
      self.init("intervalsIgnored")
      self.reason = reason
    case .state(let app, let state, let reason):
      self.init("state")
      self.app = app
      self.state = state.rawValue
      self.reason = reason.text
    case .queued(let app, let notice): self.init("queued", app, notice)
    case .dropped(let app, let notice): self.init("dropped", app, notice)
    case .terminated(let app, let cause):
      self.init("terminated")
      self.app = app
      reason = cause.text
    case .preserved(let app, let cause):
      self.init("preserved")
      self.app = app
      reason = "after \(cause.text)"
    case .restored(let app, let services, let subscribers):
      self.init("restored")
      self.app = app
      serviceUUIDs = services.map { "\($0)" }
      self.subscribers = subscribers
    case .relaunching(let app, let reason):
      self.init("relaunching")
      self.app = app
      self.reason = reason.text
    case .relaunchFailed(let app, let reason):
      self.init("relaunchFailed")
      self.app = app
      self.reason = reason
    case .relaunchGivenUp(let app):
      self.init("relaunchGivenUp")
      self.app = app
    case .ended(let app):
      self.init("ended")
      self.app = app
    case .kept(let centrals, let name, let bytes):
      self.init("kept", nil, name)
      self.centrals = centrals
      value = Hex.string(bytes)
    case .stateDamaged(let reason):
      self.init("stateDamaged")
      self.reason = reason
    case .notSaved(let reason):
      self.init("notSaved")
      self.reason = reason
    case .connected(let device): self.init("connected", device)
    case .disconnected(let device): self.init("disconnected", device)
    case .paired(let device): self.init("paired", device)
    case .pairingRefused(let device): self.init("pairingRefused", device)
    case .passkey(let device, let passkey):
      self.init("passkey", device)
      self.passkey = Self.digits(passkey)
    case .agentFailed(let failure):
      self.init("agentFailed")
      reason = "\(failure)"
    case .subscribed(let device, let name): self.init("subscribed", device, name)
    case .unsubscribed(let device, let name): self.init("unsubscribed", device, name)
    case .read(let device, let name, let offset, let outcome, let isCached, let rule, let took):
      self.init("read", device, name)
      self.offset = offset
      cached = isCached
      self.rule = rule.map { "\($0)" }
      self.took = took.map(Self.milliseconds)
      switch outcome {
      case .value(let bytes): value = Hex.string(bytes)
      case .error(let failure): error = Failure(failure)
      }
    case .write(let device, let name, let offset, let bytes, let failure, let isAcknowledged, let rule, let took):
      self.init("write", device, name)
      self.offset = offset
      value = Hex.string(bytes)
      acknowledged = isAcknowledged
      self.rule = rule.map { "\($0)" }
      self.took = took.map(Self.milliseconds)
      error = failure.map { Failure($0) }
    case .notified(let devices, let name, let bytes):
      self.init("notified", nil, name)
      centrals = devices.map(\.address)
      value = Hex.string(bytes)
    case .confirmed(let name): self.init("confirmed", nil, name)
    case .busLost: self.init("busLost")
    case .asked(let request):
      self.init("asked")
      what = request.command.rawValue
      self.app = request.app
      by = request.by?.rawValue
    }
  }

  private init(_ event: String, _ device: RemoteDevice?, _ name: AttributeName? = nil) {
    self.init(event)
    central = device?.address
    service = name.map { "\($0.service)" }
    characteristic = name.map { "\($0.characteristic)" }
    descriptor = name?.descriptor.map { "\($0)" }
  }

  private init(_ plan: AdvertisementPlan, _ heedsInterval: Bool?) {
    self.init("advertising")
    localName = plan.advertisements.compactMap(\.localName).first
    serviceUUIDs = plan.advertisements.flatMap(\.serviceUUIDs).map { "\($0)" }
    overflow = plan.overflow.isEmpty ? nil : plan.overflow.map { "\($0.uuid)" }
    pace = plan.pace?.rawValue
    interval = plan.interval.map { Interval(minimum: $0.minimum, maximum: $0.maximum) }
    heeded = heedsInterval
  }

  private init(_ event: String, _ app: String, _ notice: SystemEvent.Notice) {
    self.init(event)
    self.app = app
    switch notice {
    case .subscribed(let address): (what, central) = ("subscribed", address)
    case .unsubscribed(let address): (what, central) = ("unsubscribed", address)
    }
  }

  private init(_ state: RadioState) {
    switch state {
    case .noDaemon: self.init("noDaemon")
    case .noAdapter(let wanted):
      self.init("noAdapter")
      adapter = wanted
    case .poweredOff(let name):
      self.init("poweredOff")
      adapter = name
    case .poweredOn(let name):
      self.init("poweredOn")
      adapter = name
    }
  }

  private static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }

  /// Six digits, as both sides show a passkey.
  package static func digits(_ passkey: UInt32) -> String { String("00000\(passkey)".suffix(6)) }
}

extension EventRecord.Failure {
  fileprivate init(_ error: ATTError) {
    code = Int(error.rawValue)
    name = error.name
  }
}
