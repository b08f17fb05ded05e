/// The packets of one advertising address.
struct AirTrack: Sendable {
  private(set) var content = PhoneContent([])
  /// The times of the first and the last packet, in the capture's nanoseconds.
  private(set) var first: Int64
  private(set) var last: Int64
  /// The time at which the present content began.
  private(set) var changed: Int64
  /// The number of advertisements with the present content.
  private(set) var packets = 0
  /// The time between the last packet of the previous content and the first of this content, in nanoseconds.
  private(set) var change: Int64?
  var isOfPhone = false
  private var data: ArraySlice<UInt8> = []
  private(set) var response: [UInt8] = []
  /// The last packet with the present content on each channel; index 3 if the file has no channels.
  private var lastOnChannel: [Int64?] = [nil, nil, nil, nil]

  /// The last scan response, after which the other packets of its event are late.
  private var lastResponse: Int64?
  /// The time in nanoseconds in which packets on other channels belong to the same event.
  private static let event: Int64 = 5_000_000

  init(at time: Int64) { (first, last, changed) = (time, time, time) }

  /// - Returns: the gap since the last packet with the same content on the channel, in nanoseconds; nil for an event that
  ///   has given its gap on another channel.
  mutating func advertisement(_ bytes: ArraySlice<UInt8>, channel: UInt8?, at time: Int64) -> Int64? {
    let before = last
    last = time
    change = nil
    defer { packets += 1 }
    if !bytes.elementsEqual(data) {
      data = bytes
      if update(at: time), before < time { change = time - before }
    }
    let index = channel.map { max(0, min(Int($0) - 37, 2)) } ?? 3
    let former = lastOnChannel[index]
    let isLate = channel != nil && lastResponse.map { time - $0 < Self.event } == true
    lastOnChannel[index] = isLate ? nil : time
    guard channel == nil || time - before >= Self.event else { return nil }
    return former.map { time - $0 }
  }

  mutating func scanResponse(_ bytes: ArraySlice<UInt8>, at time: Int64) {
    (last, lastResponse) = (time, time)
    guard !bytes.elementsEqual(response) else { return }
    response = Array(bytes)
    _ = update(at: time)
  }

  /// - Returns: whether the kind or Apple's items changed.
  private mutating func update(at time: Int64) -> Bool {
    let content = PhoneContent(data, scanResponse: response)
    defer { self.content = content }
    guard content.kind != self.content.kind || content.items != self.content.items else { return false }
    changed = time
    packets = 0
    lastOnChannel = [nil, nil, nil, nil]
    return true
  }
}
