package import BleperaBluetooth
package import BleperaHCIProtocol
package import BleperaHost

/// The link layer of a controller behind HCI, for a host: a value without a clock.
///
/// The layer keeps what was asked for, and what the controller has. While the two differ and no command is in flight,
/// the layer sends the next command that brings them together; so a command that is refused, or never answered, stops
/// nothing else.
package struct HCILinkLayer: Sendable {
  package enum Output: Hashable, Sendable {
    /// A packet to the controller, with its octet of H4.
    case send([UInt8])
    case event(LinkLayerEvent)
    /// The start has ended; what was asked for is being sent again.
    case ready(ControllerDescription)
    case refused(ControllerRefusal)
    /// The controller is unusable until it is opened again; a sentence.
    case failed(String)
  }

  enum State: Hashable, Sendable {
    /// Becomes `starting`.
    case closed
    /// Becomes `ready` or `failed`.
    case starting([StartStep])
    /// Becomes `failed` or `closed`.
    case ready
    /// Becomes `closed`.
    case failed
  }

  var state = State.closed
  var now = Duration.zero
  var outputs: [Output] = []
  var commands = CommandQueue()
  var controller = ControllerDescription()
  var random: RandomSource

  /// The refusals that were reported since the last success of their commands.
  private var refusals: Set<ControllerRefusal> = []
  /// When what was refused beside a link is tried again at the latest.
  var resumption: Duration?
  var isPowered = true
  /// The address of scans, attempts and the advertisements `ofAdapter`.
  var address: DeviceAddress
  /// The address that LE Set Random Address has set.
  var appliedAddress: DeviceAddress?
  /// Whether that command was refused, or not answered.
  var isAddressDoubtful = false
  var advertising = AdvertisingSlots()
  var scanner = Scanner()
  var reports = ReportJoiner()
  var attempt = Attempt()
  var links: [UInt16: ControllerLink] = [:]
  var lastConnection = 0
  /// The room for data in the controller, in packets.
  var credits = 0
  /// The data length for which the layer asks where a connection begins; 27 bytes for none.
  var dataLength = HCISuggestedDataLength(DataLength.range.upperBound)
  /// Whether the controller has no command for the data length of a link.
  var lacksDataLength = false
  /// The set of a connection that is not reported yet.
  var earlySet: (handle: UInt16, set: UInt8)?
  /// The link that has sent last.
  var lastSender: UInt16 = 0
  /// When the controller last completed a packet, or had none.
  var lastProgress = Duration.zero

  package init(random: RandomSource = .system) {
    self.random = random
    address = .static(self.random.next() & 0x3FFF_FFFF_FFFF)
  }

  /// Nil until the controller has answered all commands of the start.
  package var description: ControllerDescription? { state == .ready ? controller : nil }

  // MARK: Calls

  /// Starts a controller that was opened. Links that are still there end first.
  package mutating func start(at now: Duration) -> [Output] {
    turn(at: now) { layer in
      layer.close()
      layer.state = .starting(StartStep.first)
    }
  }

  /// The controller is gone: links end. Advertisements, the scan and the pending connections stay, and are sent again
  /// after `start`; an advertisement that was reported with `advertising` is not reported again.
  package mutating func lost(at now: Duration) -> [Output] { turn(at: now) { $0.close() } }

  package mutating func receive(_ packet: H4Reader.Packet, at now: Duration) -> [Output] {
    switch packet.kind {
    case .acl:
      // Data may be the first of a link whose set is not known yet, and which is reported then.
      let isData = !links.values.contains { $0.opening != nil }
      return turn(at: now, isData: isData) { $0.receiveData(packet.bytes) }
    case .event:
      // An event that is cut is ignored.
      guard let event = try? HCIEvent(packet.bytes) else { return [] }
      let isData = if case .completedPackets = event { true } else { false }
      return turn(at: now, isData: isData) { $0.take(event) }
    case .command, .synchronous, .isochronous: return []
    }
  }

  package mutating func run(_ request: LinkLayerRequest, at now: Duration) -> [Output] {
    let isData = if case .link(_, .data) = request { true } else { false }
    return turn(at: now, isData: isData) { $0.perform(request) }
  }

  /// Changes the private address of scans, attempts and advertisements `ofAdapter`; what is on the air pauses for it.
  package mutating func setAddress(_ address: DeviceAddress, at now: Duration) -> [Output] {
    turn(at: now) { $0.address = address }
  }

  /// Connects to each of the devices; nil ends the attempts.
  package mutating func wait(for devices: PendingConnections?, at now: Duration) -> [Output] {
    turn(at: now) { if $0.isPowered { $0.attempt.wanted = devices } }
  }

  /// When `tick` is due; nil for never.
  package var deadline: Duration? {
    guard state != .failed else { return nil }
    var ends = [
      commands.deadline, advertising.deadline(isFree: state == .ready && commands.isFree), reports.deadline,
      attempt.deadline, scanner.retry, resumption,
    ]
    ends += links.values.map(\.deadline)
    if links.values.contains(where: { !$0.inController.isEmpty }) { ends.append(lastProgress + Self.stall) }
    return ends.compactMap(\.self).min()
  }

  /// How long no data may be completed: longer than the longest supervision timeout, 32 s; ours.
  static let stall = Duration.seconds(40)

  package mutating func tick(at now: Duration) -> [Output] {
    turn(at: now) { layer in
      switch layer.commands.expire(at: now) {
      case .command(let command): layer.complete(command, status: nil, [])
      case .credit(let opcode): layer.refused(opcode, .withoutCredits)
      case nil: break
      }
      layer.advertising.tick(at: now, using: &layer.random)
      for report in layer.reports.expire(at: now) { layer.outputs.append(.event(.received(report))) }
      if let end = layer.resumption, end <= now { layer.resume() }
      if let retry = layer.scanner.retry, retry <= now { layer.scanner.retry = nil }
      layer.tickAttempt()
      layer.tickLinks()
    }
  }

  /// How long after a command that was not performed, and is needed, it is sent again; ours.
  static let retryTime = Duration.seconds(2)
  /// How long after a refusal a scan, or an advertisement beside a link, is tried again; ours.
  static let resumptionTime = Duration.seconds(10)

  // MARK: Turns

  /// - Parameter isData: whether data moves and nothing else, which makes no command due.
  private mutating func turn(
    at now: Duration, isData: Bool = false, _ body: (inout HCILinkLayer) -> Void
  ) -> [Output] {
    self.now = now
    body(&self)
    sendData()
    while !isData, commands.isFree, let command = nextCommand() {
      outputs.append(.send(commands.send(command, at: now)))
    }
    defer { outputs = [] }
    return outputs
  }

  /// The next command that brings the controller nearer to what was asked for.
  private mutating func nextCommand() -> ControllerCommand? {
    switch state {
    case .closed, .failed: return nil
    case .starting(let steps): return steps.first?.command(for: controller, dataLength)
    case .ready: break
    }
    if let command = commands.takeWaiting() { return command }
    if let command = nextAddressCommand() { return command }
    if let command = nextAttemptCommand() { return command }
    if let command = nextAdvertisingCommand() { return command }
    return nextScanCommand()
  }

  /// The random address that is to be set before anything uses it; nil where it is set, or cannot be set yet.
  var dueAddress: DeviceAddress? {
    let wanted = legacyAddress ?? address
    // Sets have addresses of their own, but Bumble's controllers send a peripheral's data under this one (0.0.236).
    let isUsed = scanner.isOn || scanner.wanted != nil || duePlan != nil || advertising.isUsed
    guard isPowered, isUsed, wanted.isRandom, wanted != appliedAddress, !attempt.isOnAir else { return nil }
    return wanted
  }

  /// Sets the random address, for which legacy advertising, scans and attempts are off (7.8.4).
  private func nextAddressCommand() -> ControllerCommand? {
    guard let address = dueAddress else { return nil }
    if scanner.isOn { return scanner.retry == nil ? scanCommand(isOn: false) : nil }
    if !controller.isExtended, let slot = advertising.slots[0], slot.isOn {
      return slot.retry == nil ? enableCommand(0, isOn: false) : nil
    }
    return ControllerCommand(HCI.leSetRandomAddress, HCIRandomAddress(address), for: .randomAddress(address))
  }

  private mutating func perform(_ request: LinkLayerRequest) {
    switch request {
    case .power(let isOn): setPower(isOn)
    case .advertise(let id, let packets, let lifetime, let events): advertise(id, packets, lifetime, events)
    case .replacePackets(let id, let packets): advertising.replace(id, packets, using: &random, at: now)
    case .withdraw(let id): advertising.remove(id)
    case .scan(let window): if isPowered { scan(window) }
    case .link(let id, let request): link(id, request)
    case .readRSSI(let operation, let id): readRSSI(operation, id)
    case .dataLength(let length): dataLength = HCISuggestedDataLength(length)
    // The owner changes addresses by `setAddress` and connects by `wait`; a controller has no defects to order.
    case .changeAddress, .defects, .connect, .cancelConnect, .listen, .attempt: break
    }
  }

  /// Off, advertisements, the scan and the pending connections are dropped, and links end, as on the virtual air.
  private mutating func setPower(_ isOn: Bool) {
    guard isOn != isPowered else { return }
    isPowered = isOn
    guard !isOn else { return }
    advertising.removeAll()
    scan(nil)
    attempt.wanted = nil
    for handle in links.keys.sorted() {
      disconnect(handle, .poweredOff)
      finish(handle, .hostTerminated)
    }
    outputs.append(.event(.poweredOff))
  }

  /// Forgets what the controller has.
  private mutating func close() {
    state = .closed
    for handle in links.keys.sorted() { removeLink(handle, because: .connectionTimeout) }
    for command in commands.waiting + [commands.inFlight].compactMap(\.self) { fail(command) }
    (commands, controller, appliedAddress, links) = (CommandQueue(), ControllerDescription(), nil, [:])
    (refusals, resumption) = ([], nil)
    (credits, lastProgress, lacksDataLength, earlySet) = (0, now, false, nil)
    advertising.close()
    (scanner, reports) = (Scanner(wanted: scanner.wanted), ReportJoiner())
    attempt = Attempt(wanted: attempt.wanted)
  }

  /// The result of a command that will have none.
  mutating func fail(_ command: ControllerCommand) {
    if case .rssi(_, let operation) = command.purpose { outputs.append(.event(.rssi(operation, nil))) }
  }

  /// The controller may perform now what it has refused.
  mutating func resume() {
    (resumption, scanner.isRefused) = (nil, false)
    advertising.resume()
  }

  mutating func failed(_ sentence: String) {
    guard state != .failed else { return }
    state = .failed
    outputs.append(.failed(sentence))
  }

  /// Reports a refusal, but not again before the command has succeeded.
  mutating func refused(_ opcode: UInt16, _ reason: ControllerRefusal.Reason) {
    let refusal = ControllerRefusal(opcode, reason)
    if refusals.insert(refusal).inserted { outputs.append(.refused(refusal)) }
  }

  // MARK: Events

  private mutating func take(_ event: HCIEvent) {
    guard state != .closed, state != .failed else { return }
    switch event {
    case .commandComplete(let event):
      let command = commands.answer(to: event.opcode, credits: event.credits, at: now)
      // An answer without a status is none.
      if let command { complete(command, status: event.returned.first, Array(event.returned.dropFirst())) }
      return
    case .commandStatus(let event):
      // Some controllers send Command Status before Command Complete.
      if event.status == 0, commands.inFlight?.isStatus == false, commands.inFlight?.opcode == event.opcode { return }
      let command = commands.answer(to: event.opcode, credits: event.credits, at: now)
      if let command { complete(command, status: event.status, []) }
      return
    case .hardwareError(let event):
      return failed("the controller reports hardware error \(Hex.string([event.error]))")
    default: break
    }
    // Before Reset is answered, events are those of an earlier host.
    guard state == .ready else { return }
    switch event {
    case .commandComplete, .commandStatus, .hardwareError, .dataBufferOverflow, .other: break
    case .completedPackets(let event): for entry in event.entries { completed(entry.value.value, of: entry.handle) }
    case .connectionComplete(let event): connected(event)
    case .setTerminated(let event): setTerminated(event)
    case .advertisingReports(let reports): for report in reports { received(.init(report)) }
    case .extendedReports(let reports): for report in reports { received(.init(report)) }
    case .disconnectionComplete(let event):
      if event.status == 0 { removeLink(event.handle, because: LinkEnd(rawValue: event.reason)) }
    case .encryptionChange, .encryptionKeyRefresh, .connectionUpdate, .longTermKeyRequest, .parameterRequest,
      .dataLengthChange:
      takeLinkEvent(event)
    }
  }

  /// - Parameter status: nil for a command that was not answered.
  private mutating func complete(_ command: ControllerCommand, status: UInt8?, _ returned: [UInt8]) {
    if status != 0, command.reportsRefusal(status) {
      refused(command.opcode, reason(of: command, status))
    }
    if status == 0 { refusals = refusals.filter { $0.opcode != command.opcode } }
    switch command.purpose {
    case .start(let step): started(step, status: status, returned)
    case .slot(let handle, let step): completed(step, of: handle, status: status)
    case .randomAddress(let address): (appliedAddress, isAddressDoubtful) = (address, status != 0)
    case .scan(let step): completed(step, status: status)
    case .attempt(let step): completed(step, status: status)
    case .link(let handle, let step): completed(step, of: handle, status: status)
    case .rssi(let handle, let operation):
      let value = try? HCIOfLink<HCINumber<Int8>>(returned)
      let rssi = status == 0 && value?.handle == handle ? value.map { Int($0.value.value) } : nil
      outputs.append(.event(.rssi(operation, rssi)))
    }
  }
}

extension ControllerCommand {
  /// Whether a refusal is worth a report: what is to be removed may be gone already, and a link may have ended.
  fileprivate func reportsRefusal(_ status: UInt8?) -> Bool {
    switch purpose {
    case .slot(_, .remove): false
    case .slot(_, .disable): status == nil
    case .link, .rssi, .attempt(.cancel): status != HCIError.unknownConnection.rawValue
    case .start, .slot, .randomAddress, .scan, .attempt: true
    }
  }
}
