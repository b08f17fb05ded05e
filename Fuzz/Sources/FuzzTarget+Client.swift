import BleperaAir
import BleperaAppLink
import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaPreservation
import Synchronization

@testable import BleperaPhone

extension FuzzTarget {
  /// A phone whose app discovers, reads, subscribes, writes and opens a channel at a host that answers from the input.
  /// Each answer is well-formed, with rows in the requested handles, until a byte chooses another one.
  static let client = FuzzTarget("client") { bytes in ClientSession(bytes).play() }
}

/// A phone with an app, and a host, on a clock of their own.
private final class ClientSession: Sendable {
  private let loop = VirtualLoop(beginning: .seconds(1_800_000_000))
  private let host: AnsweringHost
  private let phone: EmulatedPhone
  private let radio: AdapterID
  private let app: DiscoveringApp

  init(_ input: [UInt8]) {
    let air = SharedAir(loop: loop, conditions: AirConditions(latency: .milliseconds(1), interval: .zero))
    (host, radio) = loop.perform {
      air.assumeIsolated { air in
        var stack = StackBehavior()
        stack.client = .phone
        let phone = air.addAdapter(named: "phone", stack: stack)
        let adapter = air.addAdapter(.controller(address: air.nextAddress, name: "host"))
        return (AnsweringHost(air: air, adapter: adapter, input), phone)
      }
    }
    phone = EmulatedPhone(loop: loop) { _, _ in }
    let ends = makeInMemoryLink()
    app = DiscoveringApp(ends.app)
    Task(executorPreference: loop) { [phone] in await phone.attach(ends.system) }
    ends.app.receive(on: loop) { [app] message in if let message { app.receive(message) } }
  }

  func play() {
    let started = loop.run(until: .seconds(10)) { [phone, radio, host] in
      await host.start()
      try await phone.start { HostRadio(adapter: host.air.hosted(radio), report: $0) }
    }
    guard case .success? = started else { fatalError("a phone starts") }
    app.start()
    // Two requests without an answer end two connections after 30 s.
    loop.advance(by: .seconds(100))
    let status = loop.perform { phone.assumeIsolated { $0.status() } }
    let line = JSONLine.encode(ControlReply(status: status))
    require((try? JSONLine.decode(ControlReply.self, line))?.status != nil, "a status is read as it was written")
    guard case .success? = loop.run(until: loop.now + .seconds(10), { [phone] in await phone.shutDown() }) else {
      return require(false, "a phone shuts down")
    }
    loop.advance(by: .seconds(1))
  }
}

// MARK: The app

/// An app that asks for everything that a peripheral has.
private final class DiscoveringApp: Sendable {
  private let link: InMemoryAppLink<AppMessage, PhoneMessage>
  /// The number of calls and connections that the app still makes.
  private let rest = Mutex((calls: 150, connections: 2))
  private let streams = Mutex<[any ByteStream]>([])

  /// The number of attributes that the app uses of each discovery.
  private static let most = 6

  init(_ link: InMemoryAppLink<AppMessage, PhoneMessage>) { self.link = link }

  func start() {
    let identity = AppIdentity(bundleIdentifier: "app", name: "app", backgroundModes: ["bluetooth-central"])
    link.send(.hello(version: appLinkVersion, app: identity))
    link.send(.create(ManagerID(.central, .number(0))))
  }

  private func send(_ call: CentralCall) { link.send(.central(.number(0), call)) }

  private func ask(_ id: PeripheralID, _ calls: PeripheralCall...) {
    for call in calls {
      let isAllowed = rest.withLock { rest in
        rest.calls -= 1
        return rest.calls >= 0
      }
      if isAllowed { send(.peripheral(id, call)) }
    }
  }

  private func connect(_ id: PeripheralID) {
    let isAllowed = rest.withLock { rest in
      rest.connections -= 1
      return rest.connections >= 0
    }
    if isAllowed { send(.connect(id, ConnectOptions())) }
  }

  func receive(_ message: PhoneMessage) {
    requireCoding(of: message)
    guard case .central(_, let callback) = message else { return }
    switch callback {
    case .didUpdateState(.poweredOn): send(.scanForPeripherals(ScanRequest()))
    case .didDiscover(let peripheral, _):
      send(.stopScan)
      connect(peripheral.id)
    case .didConnect(let peripheral):
      ask(peripheral.id, .discoverServices(nil), .openL2CAPChannel(L2CAPPSM(rawValue: 0x80)), .readRSSI)
    case .didDisconnectPeripheral(let id, _, _, _): connect(id)
    case .peripheral(let id, let callback): receive(callback, id)
    case .willRestoreState, .didUpdateState, .didFailToConnect, .connectionEventDidOccur, .didRetrievePeripherals: break
    }
  }

  private func receive(_ callback: PeripheralCallback, _ id: PeripheralID) {
    switch callback {
    case .didModifyServices: ask(id, .discoverServices(nil))
    case .didDiscoverServices(let services, _):
      for service in services.prefix(Self.most) {
        ask(
          id, .discoverIncludedServices(nil, service: service.handle),
          .discoverCharacteristics(nil, service: service.handle))
      }
    case .didDiscoverIncludedServices(let services, _, _):
      for service in services.prefix(Self.most) { ask(id, .discoverCharacteristics(nil, service: service.handle)) }
    case .didDiscoverCharacteristics(let characteristics, _, _):
      for characteristic in characteristics.prefix(Self.most) {
        let handle = characteristic.handle
        ask(
          id, .discoverDescriptors(characteristic: handle), .setNotifyValue(true, characteristic: handle),
          .readValue(handle), .writeValue(handle, value: [1, 2], withResponse: true),
          .writeValue(handle, value: [3], withResponse: false),
          // A value that is longer than a packet is written with prepared writes.
          .writeValue(handle, value: [UInt8](repeating: 4, count: 40), withResponse: true))
      }
    case .didDiscoverDescriptors(let descriptors, _, _):
      for descriptor in descriptors.prefix(Self.most) { ask(id, .readValue(descriptor.handle)) }
    case .didOpenL2CAPChannel(_, _, nil):
      guard let stream = link.takeStream() else { return }
      _ = stream.write([UInt8](repeating: 5, count: 1000)[...])
      streams.withLock { $0.append(stream) }
    case .didUpdate, .didReadRSSI, .didUpdateValue, .didWriteValue, .didUpdateNotificationState,
      .didSendWritesWithoutResponse, .didOpenL2CAPChannel:
      break
    }
  }
}

// MARK: The host

/// A host above a controller of the air, which advertises and answers.
private actor AnsweringHost: AirParticipant {
  nonisolated let air: SharedAir
  private nonisolated let adapter: AdapterID
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe air.loop.asUnownedSerialExecutor() }
  private var input: ByteReader
  private var reassembler = L2CAPReassembler()

  init(air: SharedAir, adapter: AdapterID, _ input: [UInt8]) {
    (self.air, self.adapter, self.input) = (air, adapter, ByteReader(input))
  }

  func start() {
    air.assumeIsolated { $0.attach(self, to: adapter) }
    advertise()
  }

  private func run(_ event: AirEvent) { air.assumeIsolated { $0.run(event) } }

  private func advertise() {
    let id = air.assumeIsolated { $0.newAdvertisement() }
    run(.linkLayer(adapter, .advertise(id, AdvertisingPackets(data: [2, 1, 6], interval: .milliseconds(500)))))
  }

  nonisolated func receive(_ action: AirAction) { assumeIsolated { $0.take(action) } }

  private func take(_ action: AirAction) {
    switch action {
    case .linkLayer(_, .connected): reassembler = L2CAPReassembler()
    case .linkLayer(_, .link(_, .ended)): advertise()
    case .linkLayer(_, .link(let id, .data(let data))):
      if let frame = reassembler.receive(data.bytes, isStart: data.isStart) { answer(frame, over: id) }
    case .linkLayer(_, .link(let id, .keyRequested)): run(.linkLayer(adapter, .link(id, .key(nil))))
    default: break
    }
  }

  private func send(_ payload: [UInt8], on channel: UInt16 = L2CAPFrame.attributes, over id: ConnectionID) {
    for piece in L2CAPFrame(channel: channel, payload: payload).fragments(of: 251) {
      run(.linkLayer(adapter, .link(id, .data(LinkData(isStart: piece.isStart, piece.bytes)))))
    }
  }

  private func answer(_ frame: L2CAPFrame, over id: ConnectionID) {
    switch frame.channel {
    case L2CAPFrame.attributes:
      guard let request = try? ATTPDU(frame.payload), request.opcode.kind == .request else { return }
      answer(request, over: id)
    case L2CAPFrame.signaling:
      guard let signal = L2CAPSignal(frame.payload) else { return }
      answer(signal, over: id)
    // The host responds with Pairing Failed, or with bytes of the input.
    case L2CAPFrame.security: send(input.flag() ? input.list() : [5, 5], on: frame.channel, over: id)
    default: break
    }
  }

  /// A byte chooses the kind of the answer; nothing is found after the end of the input.
  private func answer(_ request: ATTPDU, over id: ConnectionID) {
    let kind = input.byte()
    switch kind {
    case 0: send(isEmpty(request) ? response(to: request, 0) : request.error(.attributeNotFound).bytes, over: id)
    case 0xF8: break
    case 0xF9: send(request.error(ATTError(rawValue: input.byte())).bytes, over: id)
    case 0xFA: send(input.list(), over: id)
    case 0xFB: run(.linkLayer(adapter, .link(id, .disconnect(.userTerminated))))
    case 0xFC...0xFF:
      // Something unrequested comes before the answer.
      let channels = [L2CAPFrame.attributes, L2CAPFrame.signaling, L2CAPFrame.security, 0x0040]
      switch kind {
      case 0xFC: send(input.list(), on: channels[Int(input.byte() & 3)], over: id)
      case 0xFD: send([0x1B, input.byte(), 0] + input.list(), over: id)
      case 0xFE: send([0x1D, input.byte(), 0] + input.list(), over: id)
      // The PDU indicates Service Changed, at the handle that the sample has.
      default: send([0x1D, 3, 0, input.byte(), 0, input.byte(), 0], over: id)
      }
      answer(request, over: id)
    default: send(response(to: request, kind), over: id)
    }
  }

  /// Whether the response to the request may have no bytes but its opcode.
  private func isEmpty(_ request: ATTPDU) -> Bool {
    switch request {
    case .readRequest, .readBlobRequest, .writeRequest, .prepareWriteRequest, .executeWriteRequest: true
    default: false
    }
  }

  /// - Parameter kind: the kind, with the number of rows in its last bits.
  private func response(to request: ATTPDU, _ kind: UInt8) -> [UInt8] {
    let count = Int(kind & 3) + 1
    switch request {
    case .exchangeMTURequest: return [0x03] + LittleEndian.bytes(23 + UInt16(input.byte()))
    case .readByGroupTypeRequest(let range, _):
      return [0x11, 6]
        + rows(count, in: range) { start in
          let end = handle(after: start, in: range, stride: 0x0F)
          return (end, LittleEndian.bytes(end) + uuid([0x180D, 0x180F, 0x1800, 0x1801]))
        }
    case .readByTypeRequest(let range, BluetoothUUID(0x2802 as UInt16)):
      let hasUUID = kind & 4 == 0
      return [0x09, hasUUID ? 8 : 6]
        + rows(count, in: range) { declaration in
          let start = handle(after: declaration, in: range)
          let end = handle(after: start, in: range)
          return (
            declaration, LittleEndian.bytes(start) + LittleEndian.bytes(end) + (hasUUID ? uuid([0x1810, 0x1811]) : [])
          )
        }
    case .readByTypeRequest(let range, BluetoothUUID(0x2803 as UInt16)):
      return [0x09, 7]
        + rows(count, in: range) { declaration in
          let properties = input.byte()
          let value = handle(after: declaration, in: range)
          return (value, [properties] + LittleEndian.bytes(value) + uuid([0x2A37, 0x2A38, 0x2A05, 0x2A00]))
        }
    case .readByTypeRequest(let range, _):
      return [0x09, 4] + rows(count, in: range) { ($0, [input.byte(), input.byte()]) }
    case .findInformationRequest(let range):
      return [0x05, 1] + rows(count, in: range) { ($0, uuid([0x2902, 0x2901, 0x2900, 0x2904])) }
    case .readRequest: return [0x0B] + input.list()
    case .readBlobRequest: return [0x0D] + input.list()
    case .writeRequest: return [0x13]
    case .prepareWriteRequest(let write): return ATTPDU.prepareWriteResponse(write).bytes
    case .executeWriteRequest: return [0x19]
    default: return request.error(.requestNotSupported).bytes
    }
  }

  /// Rows that begin with their handles. `make` returns the last handle of a row and the bytes after the first handle.
  private func rows(
    _ count: Int, in range: ClosedRange<AttributeHandle>, _ make: (UInt16) -> (last: UInt16, bytes: [UInt8])
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    var last = range.lowerBound.rawValue &- 1
    for _ in 0..<count {
      let handle = handle(after: last, in: range)
      let row = make(handle)
      bytes += LittleEndian.bytes(handle) + row.bytes
      last = row.last
    }
    return bytes
  }

  /// The next handle, or a handle soon after it; a byte from 0x80 chooses a handle at a border.
  private func handle(
    after last: UInt16, in range: ClosedRange<AttributeHandle>, stride: UInt16 = 1
  ) -> UInt16 {
    let byte = input.byte()
    guard byte >= 0x80 else { return last &+ 1 &+ UInt16(byte & 7) &* stride }
    let (lowest, highest) = (range.lowerBound.rawValue, range.upperBound.rawValue)
    return [0, 1, 0xFFFE, 0xFFFF, lowest, highest, highest &+ 1, last][Int(byte & 7)]
  }

  private func uuid(_ few: [UInt16]) -> [UInt8] { LittleEndian.bytes(few[Int(input.byte()) % few.count]) }

  // MARK: Signals

  private func answer(_ signal: L2CAPSignal, over id: ConnectionID) {
    func reply(_ content: L2CAPSignal.Content) {
      send(L2CAPSignal(identifier: signal.identifier, content).bytes, on: L2CAPFrame.signaling, over: id)
    }
    switch signal.content {
    case .creditConnectionRequest:
      let kind = input.byte()
      switch kind {
      case 0xF8: break
      case 0xF9: reply(.commandReject(reason: 0, data: []))
      case 0xFA: send(input.list(), on: L2CAPFrame.signaling, over: id)
      case 0xFB: reply(.creditConnectionResponse(.none, result: UInt16(input.byte())))
      default:
        let offer = L2CAPSignal.CreditOffer(
          channel: 0x40 + UInt16(kind & 7), mtu: 23 + UInt16(input.byte()), mps: 23 + UInt16(input.byte()),
          credits: UInt16(input.byte()))
        reply(.creditConnectionResponse(offer, result: 0))
        let sdu = input.list()
        send(LittleEndian.bytes(UInt16(sdu.count)) + sdu, on: 0x40, over: id)
      }
    case .disconnectionRequest(let destination, let source):
      reply(.disconnectionResponse(destination: destination, source: source))
    case .commandReject, .disconnectionResponse, .parameterUpdateRequest, .parameterUpdateResponse,
      .creditConnectionResponse, .credits, .other:
      break
    }
  }
}
