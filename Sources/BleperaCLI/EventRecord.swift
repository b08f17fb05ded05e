import BlueZ
import FoundationEssentials
import GATT
import Policy
import System

/// An event as a JSON object: what `--json` prints, a line each. The keys are part of the interface; README lists them.
struct EventRecord: Codable, Equatable {
  var time = ""
  /// `phone` where a central speaks too.
  var side: String?
  /// The name of the phone, in a lab.
  var phone: String?
  var event: String
  var adapter: String?
  var service: String?
  var characteristic: String?
  var descriptor: String?
  /// The first and last handle of a service.
  var handles: [Int]?
  var localName: String?
  var serviceUUIDs: [String]?
  /// Service UUIDs in the overflow area.
  var overflow: [String]?
  /// `foreground` or `background`.
  var pace: String?
  /// In milliseconds.
  var interval: Interval?
  /// Whether bluetoothd heeds it; nil where it cannot be told.
  var heeded: Bool?
  /// What was moved, shortened, dropped or withheld, each with its rule.
  var reasons: [String]?
  /// A bundle identifier.
  var app: String?
  /// How many subscriptions are awaited.
  var subscribers: Int?
  /// An app's execution state.
  var state: String?
  /// What waits for an app or has been dropped: an event's name.
  var what: String?
  var central: String?
  var centrals: [String]?
  var offset: Int?
  /// Hexadecimal digits.
  var value: String?
  var cached: Bool?
  /// False for a write that no answer of ours goes out for.
  var acknowledged: Bool?
  var error: Failure?
  /// The rule by which it is so, such as `R4`.
  var rule: String?
  var passkey: String?
  var reason: String?

  struct Interval: Codable, Equatable {
    var minimum: Double
    var maximum: Double
  }

  /// What a central was refused with.
  struct Failure: Codable, Equatable {
    var code: Int
    var name: String?
  }

  init(_ event: String) { self.event = event }

  /// Nil where the line is no event.
  init?(json line: [UInt8]) {
    guard let record = try? JSONDecoder().decode(EventRecord.self, from: Data(line)) else { return nil }
    self = record
  }

  /// One line, keys in alphabetical order.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "{\"event\":\"\(event)\"}" }
    return String(decoding: data, as: UTF8.self)
  }
}

extension EventRecord {
  init(_ event: SystemEvent) {
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
    case .read(let device, let name, let offset, let outcome, let isCached, let rule):
      self.init("read", device, name)
      self.offset = offset
      cached = isCached
      self.rule = rule.map { "\($0)" }
      switch outcome {
      case .value(let bytes): value = Hex.string(bytes)
      case .error(let failure): error = Failure(failure)
      }
    case .write(let device, let name, let offset, let bytes, let failure, let isAcknowledged, let rule):
      self.init("write", device, name)
      self.offset = offset
      value = Hex.string(bytes)
      acknowledged = isAcknowledged
      self.rule = rule.map { "\($0)" }
      error = failure.map { Failure($0) }
    case .notified(let devices, let name, let bytes):
      self.init("notified", nil, name)
      centrals = devices.map(\.address)
      value = Hex.string(bytes)
    case .confirmed(let name): self.init("confirmed", nil, name)
    case .busLost: self.init("busLost")
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

  /// Six digits, as both sides show a passkey.
  static func digits(_ passkey: UInt32) -> String { String("00000\(passkey)".suffix(6)) }
}

extension EventRecord.Failure {
  fileprivate init(_ error: ATTError) {
    code = Int(error.rawValue)
    name = error.name
  }
}
