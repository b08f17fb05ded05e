import BleperaBluetooth
import BleperaController
import BleperaHCIProtocol
import BleperaHost
import Testing

@Suite struct LinkTests {
  private let peer = DeviceAddress(bits: 0x55_0000_0000_07, isRandom: true)
  private let handle: UInt16 = 0x40

  /// A peripheral's link.
  private func bench(_ change: (inout ScriptedController.Options) -> Void = { _ in }) throws -> (
    LayerBench, ConnectionID
  ) {
    var options = ScriptedController.Options()
    options.features &= ~(1 << 5)
    change(&options)
    var bench = LayerBench(options)
    bench.run(.advertise(AdvertisementID(1), LayerBench.app))
    bench.air { $0.central(peer, connectsTo: 0, handle: handle) }
    bench.controller.log = []
    let link = try #require(bench.lastLink)
    bench.events = []
    return (bench, link)
  }

  private func central(_ change: (inout ScriptedController.Options) -> Void = { _ in }) throws -> (
    LayerBench, ConnectionID
  ) {
    var options = ScriptedController.Options()
    options.features &= ~(1 << 5)
    change(&options)
    var bench = LayerBench(options)
    let parameters = LinkParameters(interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))
    bench.call { $0.wait(for: PendingConnections([peer: nil], parameters: parameters), at: $1) }
    bench.air { $0.peripheral(peer, handle: handle) }
    bench.controller.log = []
    let link = try #require(bench.lastLink)
    bench.events = []
    return (bench, link)
  }

  // MARK: Begin and end

  @Test func `A link names its set, also where the set is reported late or never`() {
    for (count, isNamed) in [(1, true), (1, false), (2, true), (2, false)] {
      var bench = LayerBench()
      let other = DeviceAddress.static(99)
      let packets = AdvertisingPackets(data: [2, 1, 6], interval: .milliseconds(100), address: .fixed(other))
      if count == 2 { bench.run(.advertise(AdvertisementID(0), packets)) }
      bench.run(.advertise(AdvertisementID(1), LayerBench.app))
      let set = UInt8(count - 1)
      bench.air { $0.central(peer, connectsTo: set, handle: handle, isNamed: isNamed) }
      if !isNamed, count == 2 {
        #expect(bench.openings.isEmpty)
        bench.wait(.milliseconds(10))
      }
      let opening = bench.openings.first
      #expect(opening?.isCentral == false && opening?.peer == peer)
      #expect(
        opening?.parameters == LinkParameters(interval: .milliseconds(30), supervisionTimeout: .milliseconds(720)))
      if isNamed || count == 1 {
        #expect(opening?.advertisement == AdvertisementID(1) && opening?.own == LayerBench.address)
      } else {
        #expect(opening?.advertisement == AdvertisementID(0) && opening?.own == other)
      }
    }
  }

  @Test func `The phone advertises again at once, and a late event of the former set does not end that`() throws {
    var (bench, _) = try bench()
    bench.run(.advertise(AdvertisementID(2), LayerBench.app))
    #expect(bench.controller.log == [0x2039])
    #expect(bench.events.last == .advertising(AdvertisementID(2)))
    bench.air { $0.send(HCISetTerminated(0, handle: handle)) }
    #expect(bench.onAir == [LayerBench.app.data])
    bench.run(.withdraw(AdvertisementID(2)))
    #expect(bench.onAir == [])
  }

  @Test(
    "The end of a link is reported once with its cause",
    arguments: [(0x13, .userTerminated), (0x08, .connectionTimeout), (0x3D, .integrityFailure)] as [(UInt8, LinkEnd)])
  func end(_ reason: UInt8, _ end: LinkEnd) throws {
    var (bench, link) = try bench()
    bench.air { $0.end(handle, reason: reason) }
    bench.air { $0.send(HCIDisconnectionComplete(handle, reason: reason)) }
    bench.run(.link(link, .data(LinkData(isStart: true, [1]))))
    bench.run(.link(link, .disconnect(.userTerminated)))
    #expect(bench.events == [.link(link, .ended(end))])
    #expect(bench.controller.log == [])
  }

  @Test func `A host disconnects with the reasons of the specification`() throws {
    for (request, reason) in [
      (LinkRequest.disconnect(.authenticationFailure), 0x05), (.disconnect(.missingKey), 0x13), (.abandon, 0x13),
      (.disconnect(.poweredOff), 0x15),
    ] as [(LinkRequest, UInt8)] {
      var (bench, link) = try bench()
      bench.run(.link(link, request))
      #expect(bench.controller.disconnects == [handle: reason])
      #expect(bench.events == [.link(link, .ended(.hostTerminated))])
    }
  }

  @Test func `A controller that does not end a link loses it after 35 s`() throws {
    var (bench, link) = try bench { $0.silent = [0x0406] }
    bench.run(.link(link, .disconnect(.userTerminated)))
    bench.wait(.seconds(34))
    #expect(bench.events == [])
    bench.wait(.seconds(2))
    #expect(bench.events == [.link(link, .ended(.hostTerminated))])
  }

  @Test func `Events about unknown links, and events that are cut, have no effect`() throws {
    var (bench, link) = try bench()
    let other: UInt16 = 0x77
    bench.air {
      $0.send(HCICompletedPackets([HCIOfLink(other, HCINumber(9)), HCIOfLink(handle, HCINumber(9))]))
      $0.send(HCIDisconnectionComplete(other, reason: 0x13))
      $0.send(HCIEncryptionChange(other, status: 0, isOn: true))
      $0.send(HCILongTermKeyRequest(other, random: 1, diversifier: 1))
      $0.send(HCIParameterRequest(other, least: 24, most: 24, latency: 0, timeout: 72))
      $0.send(HCIEncryptionKeyRefresh(other))
      $0.send(HCISetTerminated(200, handle: other))
    }
    for bytes: [UInt8] in [[5, 4, 0], [0x3E, 0], [0x3E, 1, 1], [0x0E, 0], [], [0x13, 3, 1, 0x40, 0]] {
      bench.call { $0.receive(H4Reader.Packet(kind: .event, bytes: bytes), at: $1) }
    }
    for bytes: [UInt8] in [[], [0x40, 0, 0], [0x77, 0x20, 1, 0, 1]] {
      bench.call { $0.receive(H4Reader.Packet(kind: .acl, bytes: bytes), at: $1) }
    }
    #expect(bench.events == [])
    bench.run(.link(link, .data(LinkData(isStart: true, [1]))))
    #expect(bench.events == [.link(link, .sent)])
  }

  // MARK: Data

  @Test func `Data is cut for the controller and acknowledged with its last packet`() throws {
    var (bench, link) = try bench { $0.completesData = false }
    let bytes = [UInt8](0..<70)
    bench.run(.link(link, .data(LinkData(isStart: true, bytes))))
    bench.run(.link(link, .data(LinkData(isStart: false, [7]))))
    // The controller has room for three packets.
    #expect(bench.controller.received.map(\.bytes.count) == [27, 27, 16])
    #expect(bench.controller.received.map(\.isStart) == [true, false, false])
    bench.air { $0.send(HCICompletedPackets([HCIOfLink(handle, HCINumber(2))])) }
    #expect(bench.events == [])
    #expect(bench.controller.received.last?.bytes == [7] && bench.controller.received.last?.isStart == false)
    bench.air { $0.send(HCICompletedPackets([HCIOfLink(handle, HCINumber(1))])) }
    #expect(bench.events == [.link(link, .sent)])
    bench.air { $0.send(HCICompletedPackets([HCIOfLink(handle, HCINumber(1))])) }
    #expect(bench.events == [.link(link, .sent), .link(link, .sent)])
    #expect(bench.controller.received.flatMap(\.bytes) == bytes + [7])
  }

  @Test func `Links send in turn, and the room of a link returns with its end`() throws {
    var (bench, first) = try bench { $0.completesData = false }
    bench.run(.advertise(AdvertisementID(2), LayerBench.app))
    bench.air { $0.central(.static(8), connectsTo: 0, handle: 0x41) }
    let second = try #require(bench.lastLink)
    for _ in 0..<10 { bench.run(.link(first, .data(LinkData(isStart: true, [1])))) }
    for _ in 0..<10 { bench.run(.link(second, .data(LinkData(isStart: true, [2])))) }
    bench.air { $0.complete() }
    bench.air { $0.complete() }
    #expect(bench.controller.received.map(\.handle) == [0x40, 0x40, 0x40, 0x41, 0x40, 0x41, 0x40, 0x41, 0x40])
    bench.air { $0.end(0x40, reason: 8) }
    #expect(bench.controller.held == [0x41, 0x41, 0x41])
  }

  @Test func `Data that is never completed is a failure of the controller`() throws {
    var (bench, link) = try bench { $0.completesData = false }
    bench.run(.link(link, .data(LinkData(isStart: true, [1]))))
    bench.wait(.seconds(39))
    #expect(bench.failures == [])
    bench.wait(.seconds(2))
    #expect(bench.failures == ["the controller has completed no data for 40 s"])
    bench.call { $0.lost(at: $1) }
    #expect(bench.events == [.link(link, .ended(.connectionTimeout))])
  }

  @Test func `Received data is a frame's start or not`() throws {
    var (bench, link) = try bench()
    for (flags, isStart) in [(0b10, true), (0b01, false), (0b00, true)] as [(UInt16, Bool)] {
      let head = LittleEndian.bytes(handle | flags << 12)
      bench.call { $0.receive(H4Reader.Packet(kind: .acl, bytes: head + [2, 0, 8, 9]), at: $1) }
      #expect(bench.events.last == .link(link, .data(LinkData(isStart: isStart, [8, 9]))))
    }
  }

  // MARK: Procedures

  @Test func `A central encrypts, and the result is reported`() throws {
    var (bench, link) = try central()
    bench.run(.link(link, .encrypt(LinkKey(7, random: 1, diversifier: 2))))
    #expect(bench.controller.log == [0x2019])
    bench.air { $0.send(HCIEncryptionChange(handle, status: 0, isOn: true)) }
    bench.air { $0.send(HCIEncryptionKeyRefresh(handle)) }
    bench.air { $0.send(HCIEncryptionChange(handle, status: 6, isOn: false)) }
    #expect(
      bench.notices == [.encrypted(isRefresh: false), .encrypted(isRefresh: true), .encryptionRefused(.missingKey)])
  }

  @Test func `Keys that differ end a link that the controller leaves up`() throws {
    var (bench, link) = try bench()
    bench.air { $0.send(HCIEncryptionChange(handle, status: 5, isOn: false)) }
    #expect(bench.notices == [.encryptionRefused(.authenticationFailure), .ended(.integrityFailure)])
    #expect(bench.controller.disconnects == [handle: 0x05])
    bench.run(.link(link, .disconnect(.userTerminated)))
    #expect(bench.controller.log == [0x0406])
  }

  @Test func `A peripheral answers the request for its key`() throws {
    for (key, opcode) in [(UInt128(7), 0x201A), (nil, 0x201B)] as [(UInt128?, UInt16)] {
      var (bench, link) = try bench()
      bench.air { $0.send(HCILongTermKeyRequest(handle, random: 1, diversifier: 2)) }
      #expect(bench.notices == [.keyRequested(random: 1, diversifier: 2)])
      bench.run(.link(link, .key(key)))
      #expect(bench.controller.log == [opcode])
    }
  }

  @Test func `Parameters are answered, updated and refused`() throws {
    let parameters = LinkParameters(interval: .milliseconds(30), latency: 1, supervisionTimeout: .seconds(2))
    var (bench, link) = try central()
    bench.run(.link(link, .update(parameters)))
    bench.air { $0.send(HCIParameterRequest(handle, least: 24, most: 48, latency: 1, timeout: 200)) }
    bench.run(.link(link, .update(parameters)))
    bench.air { $0.send(HCIParameterRequest(handle, least: 24, most: 48, latency: 1, timeout: 200)) }
    bench.run(.link(link, .refuseParameters(reason: 0x3B)))
    // Outside the specification's ranges
    bench.air { $0.send(HCIParameterRequest(handle, least: 48, most: 24, latency: 1, timeout: 200)) }
    #expect(bench.controller.log == [0x2013, 0x2020, 0x2021, 0x2021])
    bench.air {
      $0.send(HCIConnectionUpdateComplete(handle, status: 0, interval: 24, latency: 1, timeout: 200))
    }
    #expect(bench.notices.last == .parametersChanged(parameters))
    #expect(bench.notices.count == 3)
  }

  @Test func `A peripheral requests parameters where the controller can`() throws {
    let request = LinkParameterRequest(intervals: 24...48, latency: 0, timeout: 200)
    var (bench, link) = try bench()
    bench.run(.link(link, .requestParameters(request)))
    #expect(bench.controller.log == [0x2013])
    bench.air {
      $0.send(HCIConnectionUpdateComplete(handle, status: 0x3B, interval: 24, latency: 0, timeout: 72))
    }
    #expect(bench.notices == [.parametersRefused(reason: 0x3B)])
    (bench, link) = try self.bench { $0.features &= ~2 }
    bench.run(.link(link, .requestParameters(request)))
    #expect(bench.controller.log == [] && bench.notices == [.parametersRefused(reason: 0x11)])
  }

  @Test(
    "The data length is answered by an event, or after a second, or by a refusal",
    arguments: [
      ("an event", 0, true, 0), ("nothing", 0, false, 1000), ("a refusal", 0x01, false, 0),
      ("silence", nil, false, 2000),
    ] as [(String, UInt8?, Bool, Int)])
  func dataLength(_ name: String, _ status: UInt8?, _ hasEvent: Bool, _ time: Int) throws {
    var (bench, link) = try bench { options in
      options.features |= 1 << 5
      if status == nil {
        options.silent = [0x2022]
      } else if let status, status != 0 {
        options.refused[0x2022] = status
      }
    }
    if time > 0 || hasEvent { #expect(bench.notices == []) }
    if hasEvent {
      bench.air {
        var change = HCIDataLengthChange()
        (change.handle, change.sent, change.received) = (handle, 251, 251)
        $0.send(change)
      }
      #expect(bench.notices == [.dataLength(sent: 251, received: 251), .dataLengthAnswered])
    }
    bench.wait(.milliseconds(time))
    if time > 0 { #expect(bench.notices == [.dataLengthAnswered]) }
    bench.controller.log = []
    bench.run(.link(link, .setDataLength(100)))
    // A controller without the command is not asked again.
    #expect(bench.controller.log == (status == 0 ? [0x2022] : []))
  }

  @Test func `A phone without data length asks for none`() throws {
    var bench = LayerBench(isStarted: false)
    bench.run(.dataLength(27))
    bench.start()
    bench.run(.advertise(AdvertisementID(1), LayerBench.app))
    bench.air { $0.central(peer, connectsTo: 0, handle: handle) }
    #expect(bench.notices == [.dataLengthAnswered])
    #expect(!bench.controller.log.contains(0x2024) && !bench.controller.log.contains(0x2022))
  }

  @Test func `The signal strength is that of the link, or none`() throws {
    var (bench, link) = try bench()
    bench.run(.readRSSI(OperationID(1), link))
    bench.run(.readRSSI(OperationID(2), ConnectionID(99)))
    bench.controller.options.silent = [0x1405]
    bench.run(.readRSSI(OperationID(3), link))
    bench.air { $0.end(handle, reason: 0x13) }
    bench.wait(.seconds(2))
    #expect(
      bench.events.filter { if case .rssi = $0 { true } else { false } }
        == [.rssi(OperationID(1), -60), .rssi(OperationID(2), nil), .rssi(OperationID(3), nil)])
  }

  @Test func `A central that the phone is not waiting for is not reported, nor its end`() throws {
    var bench = LayerBench()
    bench.air { $0.peripheral(peer, handle: handle) }
    #expect(bench.events == [] && bench.controller.disconnects == [handle: 0x13])
  }
}
