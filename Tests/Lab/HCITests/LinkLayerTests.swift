import BleperaAir
import BleperaBluetooth
import BleperaController
import BleperaHCI
import BleperaHCIProtocol
import BleperaHost
import Testing

/// Two link layers above two controllers of an air, in virtual time.
struct LayerEdge {
  private(set) var edge: Edge
  private(set) var layers: [HCILinkLayer]
  private(set) var events: [[LinkLayerEvent]] = [[], []]
  private(set) var refusals: [ControllerRefusal] = []

  init(isLegacy: Bool) {
    edge = Edge(isLegacy: isLegacy)
    layers = (0..<2).map { HCILinkLayer(random: .seeded(SplitMix64(seed: UInt64($0)))) }
    for side in 0..<2 { _ = edge.take(side) }
    for side in 0..<2 {
      call(side) { $0.setAddress(Self.address(side), at: $1) }
      call(side) { $0.start(at: $1) }
    }
  }

  static let key = IdentityResolvingKey([UInt8](0..<16))

  /// The first one is a resolvable private address.
  static func address(_ side: Int) -> DeviceAddress {
    side == 0
      ? DeviceAddress(bits: key?.address(prand: 0x40_1234) ?? 0, isRandom: true) : .static(0x1122_3344_5566)
  }

  mutating func run(_ side: Int, _ request: LinkLayerRequest) { call(side) { $0.run(request, at: $1) } }

  mutating func call(_ side: Int, _ body: (inout HCILinkLayer, Duration) -> [HCILinkLayer.Output]) {
    take(body(&layers[side], edge.now), side)
    exchange()
  }

  private mutating func take(_ outputs: [HCILinkLayer.Output], _ side: Int) {
    for output in outputs {
      switch output {
      case .send(let packet): edge.send(side, packet)
      case .event(let event): events[side].append(event)
      case .refused(let refusal): refusals.append(refusal)
      case .failed(let sentence): Issue.record("\(sentence)")
      case .ready: break
      }
    }
  }

  private mutating func exchange() {
    while true {
      let packets = (0..<2).map { edge.take($0) }
      guard packets.contains(where: { !$0.isEmpty }) else { return }
      for side in 0..<2 {
        for bytes in packets[side] {
          let packet = Self.packet(bytes)
          take(layers[side].receive(packet, at: edge.now), side)
        }
      }
    }
  }

  /// A packet of data begins with a handle, whose first octet no event has as its code here.
  private static func packet(_ bytes: [UInt8]) -> H4Reader.Packet {
    H4Reader.Packet(kind: bytes[0] >= 0x40 ? .acl : .event, bytes: bytes)
  }

  mutating func wait(_ time: Duration) {
    let end = edge.now + time
    while let next = ([edge.deadline] + layers.map(\.deadline)).compactMap(\.self).min(), next <= end {
      edge.wait(max(.zero, next - edge.now))
      exchange()
      for side in 0..<2 where layers[side].deadline.map({ $0 <= edge.now }) == true {
        call(side) { $0.tick(at: $1) }
      }
    }
    edge.wait(end - edge.now)
    exchange()
  }

  /// What each side has reported of its last link since the last call, without the data length.
  mutating func takeNotices() -> [[LinkNotice]] {
    defer { events = [[], []] }
    return events.map { events in
      events.compactMap { if case .link(_, let notice) = $0 { notice } else { nil } }
        .filter { notice in
          if case .dataLength = notice { return false }
          return notice != .dataLengthAnswered
        }
    }
  }
}

@Suite("Two link layers above controllers of an air")
struct LinkLayerTests {
  private static let parameters = LinkParameters(interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))
  private static let packets = AdvertisingPackets(
    data: [2, 1, 0x1A], scanResponse: [2, 9, 0x41], interval: .microseconds(181_250))

  /// The second side is the central; returns the link of each side.
  private func connected(
    _ air: inout LayerEdge, knowing peer: DeviceAddress = LayerEdge.address(0), _ key: IdentityResolvingKey? = nil
  ) throws -> [ConnectionID] {
    air.run(0, .advertise(AdvertisementID(1), Self.packets))
    air.call(1) {
      $0.wait(for: PendingConnections([peer: key], ownKey: key, parameters: Self.parameters), at: $1)
    }
    air.wait(.seconds(2))
    var links: [ConnectionID] = []
    for (side, events) in air.events.enumerated() {
      var opening: LinkOpening?
      for case .connected(let id, let reported) in events { (opening, links) = (reported, links + [id]) }
      #expect(opening?.isCentral == (side == 1))
      #expect(opening?.parameters == Self.parameters)
      if side == 0 {
        #expect(opening?.advertisement == AdvertisementID(1) && opening?.own == LayerEdge.address(0))
      } else {
        #expect(opening?.peer == LayerEdge.address(0) && opening?.wanted == peer)
      }
      #expect(events.contains { if case .link(_, .dataLength(251, 251)) = $0 { true } else { false } })
      #expect(events.contains { if case .link(_, .dataLengthAnswered) = $0 { true } else { false } })
    }
    _ = air.takeNotices()
    #expect(air.refusals == [])
    try #require(links.count == 2)
    return links
  }

  @Test("A scanner receives the packet with its scan response", arguments: [false, true])
  func scan(_ isLegacy: Bool) {
    var air = LayerEdge(isLegacy: isLegacy)
    air.run(0, .advertise(AdvertisementID(1), Self.packets))
    air.run(1, .scan(ScanWindow()))
    air.wait(.milliseconds(500))
    var reports: [AdvertisementReport] = []
    for case .received(let report) in air.events[1] { reports.append(report) }
    #expect((2...3).contains(reports.count))
    for report in reports {
      #expect(report.address == LayerEdge.address(0) && report.isConnectable && report.isScannable)
      #expect(report.data == Self.packets.data && report.scanResponse == Self.packets.scanResponse)
    }
    #expect(air.refusals == [])
  }

  @Test("A link carries data both ways, is encrypted, changes its parameters and ends", arguments: [false, true])
  func link(_ isLegacy: Bool) throws {
    var air = LayerEdge(isLegacy: isLegacy)
    let links = try connected(&air)
    for side in 0..<2 {
      let data = LinkData(isStart: true, [UInt8](repeating: UInt8(side), count: 100))
      air.run(side, .link(links[side], .data(data)))
      air.wait(.milliseconds(200))
      let notices = air.takeNotices()
      #expect(notices[side] == [.sent])
      var received: [UInt8] = []
      for case .data(let piece) in notices[1 - side] { received += piece.bytes }
      #expect(received == data.bytes)
    }
    air.run(1, .link(links[1], .encrypt(LinkKey(7, random: 1, diversifier: 2))))
    air.wait(.milliseconds(200))
    #expect(air.takeNotices() == [[.keyRequested(random: 1, diversifier: 2)], []])
    air.run(0, .link(links[0], .key(7)))
    air.wait(.milliseconds(500))
    #expect(air.takeNotices() == [[.encrypted(isRefresh: false)], [.encrypted(isRefresh: false)]])

    let request = LinkParameterRequest(intervals: 24...24, latency: 2, timeout: 200)
    air.run(0, .link(links[0], .requestParameters(request)))
    air.wait(.milliseconds(200))
    #expect(air.takeNotices() == [[], [.parametersRequested(request)]])
    air.run(1, .link(links[1], .update(request.parameters)))
    air.wait(.milliseconds(500))
    #expect(
      air.takeNotices() == [[.parametersChanged(request.parameters)], [.parametersChanged(request.parameters)]])

    air.run(0, .link(links[0], .disconnect(.userTerminated)))
    air.wait(.milliseconds(500))
    #expect(air.takeNotices() == [[.ended(.hostTerminated)], [.ended(.userTerminated)]])
    #expect(air.refusals == [])
  }

  @Test("Keys that differ end a link on both sides")
  func keys() throws {
    var air = LayerEdge(isLegacy: false)
    let links = try connected(&air)
    air.run(1, .link(links[1], .encrypt(LinkKey(7, random: 1, diversifier: 2))))
    air.wait(.milliseconds(200))
    air.run(0, .link(links[0], .key(8)))
    air.wait(.milliseconds(500))
    let ends = air.takeNotices().map(\.last)
    #expect(ends == [.ended(.integrityFailure), .ended(.integrityFailure)])
  }

  @Test("A device is known by its key, also beside advertising and a scan", arguments: [false, true])
  func identity(_ isLegacy: Bool) throws {
    var air = LayerEdge(isLegacy: isLegacy)
    air.run(1, .advertise(AdvertisementID(9), Self.packets))
    air.run(1, .scan(ScanWindow(isActive: false)))
    let identity = DeviceAddress(bits: 0x00AA_BBCC_DDEE, isRandom: false)
    _ = try connected(&air, knowing: identity, LayerEdge.key)
  }
}
