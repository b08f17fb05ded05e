import BleperaBluetooth

/// A value of a rule set that a capture shows.
protocol RuleContentConvertible: Hashable, Sendable {
  var content: RuleContent { get }

  /// The value with the content, which its shape accepts; fields that the content does not have keep their values. Nil
  /// where the fields contradict each other.
  func with(_ content: RuleContent) -> Self?
}

/// A value that a phone may not have.
protocol OptionalContent: RuleContentConvertible {
  /// The value of a content with all fields.
  init?(whole content: RuleContent)
}

extension Optional: RuleContentConvertible where Wrapped: OptionalContent {
  var content: RuleContent { self?.content ?? .none }

  func with(_ content: RuleContent) -> Self? {
    content == .none ? .some(nil) : (map { $0.with(content) } ?? Wrapped(whole: content)).map { .some($0) }
  }
}

extension RuleContent {
  /// The content of a field; nil where there is none.
  package subscript(_ name: String) -> RuleContent? {
    guard case .fields(let fields) = self else { return nil }
    return fields.first { $0.name == name }?.content
  }

  var milliseconds: Double? {
    guard case .milliseconds(let value) = self else { return nil }
    return value
  }

  var duration: Duration? { milliseconds.map { .microseconds(Int(($0 * 1000).rounded())) } }

  var interval: AdvertisingInterval? { milliseconds.flatMap { AdvertisingInterval(minimum: $0, maximum: $0) } }

  var number: Int? {
    guard case .number(let value) = self else { return nil }
    return value
  }

  fileprivate var byte: UInt8? {
    guard case .bytes(let bytes) = self else { return nil }
    return bytes.first
  }
}

extension Duration: RuleContentConvertible {
  var content: RuleContent { .milliseconds(self / .milliseconds(1)) }

  func with(_ content: RuleContent) -> Duration? { content.duration }
}

extension Int: RuleContentConvertible {
  var content: RuleContent { .number(self) }

  func with(_ content: RuleContent) -> Int? { content.number }
}

extension Int: OptionalContent {
  init?(whole content: RuleContent) {
    guard let number = content.number else { return nil }
    self = number
  }
}

extension RuleContentConvertible where Self: RawRepresentable<String> {
  var content: RuleContent { .word(rawValue) }

  func with(_ content: RuleContent) -> Self? {
    guard case .word(let word) = content else { return nil }
    return Self(rawValue: word)
  }
}

extension OverflowOrder: RuleContentConvertible {}
extension TXPowerPlace: RuleContentConvertible {}
extension ScanResponses: RuleContentConvertible {}

extension [AppleItem]: RuleContentConvertible {
  var content: RuleContent { .list(map { .bytes($0.bytes) }) }

  func with(_ content: RuleContent) -> [AppleItem]? {
    guard case .list(let items) = content else { return nil }
    let all = items.compactMap { item -> AppleItem? in
      guard case .bytes(let bytes) = item else { return nil }
      return AppleItem(bytes)
    }
    return all.count == items.count ? all : nil
  }
}

extension NearbyInfoStatus: OptionalContent {
  init?(whole content: RuleContent) {
    guard let locked = content["locked"]?.byte, let unlocked = content["unlocked"]?.byte else { return nil }
    self.init(locked: locked, unlocked: unlocked)
  }

  var content: RuleContent { .fields([.init("locked", .bytes([locked])), .init("unlocked", .bytes([unlocked]))]) }

  func with(_ content: RuleContent) -> NearbyInfoStatus? {
    NearbyInfoStatus(
      locked: content["locked"]?.byte ?? locked, unlocked: content["unlocked"]?.byte ?? unlocked)
  }
}

extension AdvertisingInterval: RuleContentConvertible {
  var content: RuleContent { .milliseconds(minimum) }

  func with(_ content: RuleContent) -> AdvertisingInterval? { content.interval }
}

extension HandoffInterval: RuleContentConvertible {
  var content: RuleContent {
    .fields([.init("first", first.content), .init("newTime", newTime.content), .init("then", then.content)])
  }

  func with(_ content: RuleContent) -> HandoffInterval? {
    HandoffInterval(
      first: content["first"]?.interval ?? first, newTime: content["newTime"]?.duration ?? newTime,
      then: content["then"]?.interval ?? then)
  }
}

extension AdvertisingDelay: RuleContentConvertible {
  /// A step of 0 is any delay.
  var content: RuleContent { .fields([.init("maximum", maximum.content), .init("step", (step ?? .zero).content)]) }

  func with(_ content: RuleContent) -> AdvertisingDelay? {
    AdvertisingDelay(maximum: content["maximum"]?.duration ?? maximum, step: content["step"]?.duration ?? step)
  }
}

extension ScanTiming: RuleContentConvertible {
  var content: RuleContent { .fields([.init("interval", interval.content), .init("window", window.content)]) }

  func with(_ content: RuleContent) -> ScanTiming? {
    let (interval, window) = (content["interval"]?.duration ?? interval, content["window"]?.duration ?? window)
    return window <= interval ? ScanTiming(interval: interval, window: window) : nil
  }
}

extension BoostedScan: RuleContentConvertible {
  var content: RuleContent {
    .fields([
      .init("interval", timing.interval.content), .init("window", timing.window.content), .init("time", time.content),
    ])
  }

  func with(_ content: RuleContent) -> BoostedScan? {
    timing.with(content).map { BoostedScan(timing: $0, time: content["time"]?.duration ?? time) }
  }
}

extension RequestedLink: RuleContentConvertible {
  var content: RuleContent {
    .fields([
      .init("minimum", minimum.content), .init("maximum", maximum.content), .init("latency", latency.content),
      .init("timeout", timeout.content),
    ])
  }

  func with(_ content: RuleContent) -> RequestedLink? {
    let link = RequestedLink(
      minimum: content["minimum"]?.duration ?? minimum, maximum: content["maximum"]?.duration ?? maximum,
      latency: content["latency"]?.number ?? latency, timeout: content["timeout"]?.duration ?? timeout)
    return link.minimum <= link.maximum ? link : nil
  }
}

extension OwnHandles: RuleContentConvertible {
  var content: RuleContent { .fields(services.map { .init("\($0.uuid)", .number($0.handle)) }) }

  /// Replaces all handles of the phone: a service that the content does not have is absent.
  func with(_ content: RuleContent) -> OwnHandles? {
    guard case .fields(let fields) = content else { return nil }
    let services = fields.compactMap { field -> Service? in
      guard let uuid = BluetoothUUID(field.name), let handle = field.content.number else { return nil }
      return Service(uuid: uuid, handle: handle)
    }
    return OwnHandles(services: services.sorted { $0.handle < $1.handle })
  }
}
