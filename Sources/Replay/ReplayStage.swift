import EventLoop
package import EventTrace
import GATT
import Policy
import SimulatedRadio
import VirtualBlueZ

/// Plays the inputs of a trace on virtual time, each when all that was told before it has been done.
package final class ReplayStage {
  private let loop = VirtualLoop()
  private let log = ReplayLog()
  private let links = LinkTable()
  private let script: ReplayScript
  private let air: SimulatedAir
  private let phones: [ReplayedPhone]
  private let centrals: [String: SimulatedCentral]
  private let periods: [ValueKey: Duration]
  /// What has been begun and was not seen to be done.
  private var pending: [ReplayedDeed] = []
  /// How many events the trace has told of, up to the next of its moments, in lanes that go on by themselves.
  private var told: [Lane: Int] = [:]
  private var nextMoment = 0

  /// How long a packet is under way: as good as not at all, so that what comes of something comes at its time.
  private static let latency = Duration.microseconds(500)
  /// How long something may take beyond the time that it took in the trace.
  private static let patience = Duration.milliseconds(300)
  /// The same for a connection.
  private static let patienceToConnect = Duration.seconds(2)
  /// How much longer than the trace it is played, for what comes late.
  private static let tail = Duration.seconds(1)
  private static let step = Duration.milliseconds(1)

  /// - Parameter apps: those that the header names, in any order.
  /// - Throws: `TraceFault` where they are others, and where there are no such rules.
  package init(_ trace: TraceFile, _ script: ReplayScript, apps: [ReplayedApp]) throws(TraceFault) {
    let apps = try Self.table(of: apps, trace.header)
    self.script = script
    let behavior = trace.header.bluez.flatMap { DaemonBehavior(version: $0, isExperimental: true) }
    let air = SimulatedAir(
      loop: loop, behavior: behavior ?? DaemonBehavior(isExperimental: true),
      conditions: AirConditions(latency: Self.latency), seed: trace.header.seed)
    self.air = air
    var periods: [ValueKey: Duration] = [:]
    var phones: [ReplayedPhone] = []
    for (number, phone) in trace.header.phones.enumerated() {
      // Neither public nor static: no central of a trace has it.
      let address = DeviceAddress(bits: 0x0200_0000_0000 + UInt64(number))
      let adapter = loop.perform {
        air.assumeIsolated { $0.addAdapter(AdapterDescription(address: address, name: phone.name ?? "phone")) }
      }
      let installed = phone.apps.compactMap { apps[$0] }
      for app in installed { periods.merge(ReplayedPhone.periods(of: app, phone: number)) { first, _ in first } }
      phones.append(
        ReplayedPhone(
          number: number, header: trace.header, apps: installed, air: air, adapter: adapter, address: address,
          loop: loop, log: log))
    }
    (self.phones, self.periods) = (phones, periods)
    centrals = Self.makeCentrals(script, air, loop, links)
  }

  private static func table(
    of apps: [ReplayedApp], _ header: TraceHeader
  ) throws(TraceFault) -> [String: ReplayedApp] {
    guard IOSVersion(rawValue: header.ios) != nil else {
      throw TraceFault(line: 1, "there are no rules of iOS \(header.ios) here; choose others with --ios")
    }
    let wanted = Set(header.phones.flatMap(\.apps)).sorted()
    var table: [String: ReplayedApp] = [:]
    for app in apps {
      let name = app.identifier
      guard wanted.contains(name) else {
        throw TraceFault(line: 1, "the trace is of \(wanted.joined(separator: ", ")), and \(name) is given")
      }
      guard table.updateValue(app, forKey: name) == nil else {
        throw TraceFault(line: 1, "two profiles of \(name) are given; it can be played with one")
      }
    }
    if let missing = wanted.first(where: { table[$0] == nil }) {
      throw TraceFault(line: 1, "the trace is of \(missing) too; give its profile")
    }
    return table
  }

  private static func makeCentrals(
    _ script: ReplayScript, _ air: SimulatedAir, _ loop: VirtualLoop, _ links: LinkTable
  ) -> [String: SimulatedCentral] {
    var centrals: [String: SimulatedCentral] = [:]
    for name in script.centrals {
      guard let address = DeviceAddress(name) else { continue }
      let mtu = script.mtus[name] ?? AdapterDescription(address: address, name: name).mtu
      // One that types makes the phone show a passkey.
      let capability: PairingCapability = script.typists.contains(name) ? .keyboardOnly : .noInputNoOutput
      let adapter = loop.perform {
        air.assumeIsolated {
          $0.addAdapter(AdapterDescription(address: address, name: name, mtu: mtu), capability: capability)
        }
      }
      let central = SimulatedCentral(air: air, adapter: adapter) { links.hear($0, of: name) }
      loop.perform { central.assumeIsolated { $0.start() } }
      centrals[name] = central
    }
    return centrals
  }

  /// Plays all of it; what there is to compare.
  package func play() -> TraceComparison {
    for phone in phones { _ = loop.run(until: loop.now + .seconds(1)) { try await phone.start() } }
    for input in script.inputs {
      loop.run(until: max(loop.now, input.time))
      settle(before: input.line)
      // What took long was begun before what the trace has told meanwhile.
      if script.time(ofLine: input.line) == input.time { follow(to: input.line) }
      play(input)
    }
    settle(before: .max)
    loop.run(until: max(loop.now, script.length) + Self.tail)
    return TraceComparison(
      expected: script.moments, actual: log.moments, periods: periods, end: script.length, notes: log.notes)
  }

  /// Lets time pass until what the trace told of before that line is done.
  private func settle(before line: Int) {
    for deed in pending where deed.line < line { wait(until: deed.limit) { deed.isDone } }
    pending.removeAll { $0.line < line || $0.isDone }
  }

  /// Lets time pass until what comes by itself has come as often as in the trace before that line: what an app does in
  /// the same millisecond is to come first again.
  private func follow(to line: Int) {
    while nextMoment < script.moments.count, (script.moments[nextMoment].line ?? 0) < line {
      if let lane = Lane(script.moments[nextMoment]), lane.goesOnByItself { told[lane, default: 0] += 1 }
      nextMoment += 1
    }
    for (lane, count) in told where log.count(lane) < count {
      wait(until: loop.now + Self.patience) { log.count(lane) >= count }
      // It goes another way; what is left of it is not waited for.
      if log.count(lane) < count { told[lane] = .min }
    }
  }

  private func wait(until limit: Duration, _ isDone: () -> Bool) {
    while !isDone(), loop.now < limit { loop.run(until: loop.now + Self.step) }
  }

  private func play(_ input: ReplayInput) {
    let phone = phones[input.phone]
    switch input.deed {
    case .launch(let app): loop.perform { phone.assumeIsolated { $0.launch(app) } }
    case .ask(let request): _ = loop.run(until: loop.now + .seconds(10)) { await phone.ask(request) }
    case .power(let isOn): loop.perform { phone.switchPower(on: isOn) }
    case .connect(let name):
      guard let central = centrals[name] else { return }
      loop.perform { central.assumeIsolated { $0.connect(to: phone.address, isAtOnce: true) } }
      wait(until: loop.now + Self.patienceToConnect) { links.isResolved(name, phone.address) }
      if !links.isResolved(name, phone.address) {
        log.note("the phone has nothing on the air that it could connect to", line: input.line)
      }
    case .disconnect(let name):
      guard let central = centrals[name] else { return }
      loop.perform { central.assumeIsolated { $0.disconnect(from: phone.address) } }
    case .pair(let name):
      guard let central = centrals[name] else { return }
      let deed = begin(input)
      Task(executorPreference: loop) {
        _ = try? await central.pair(with: phone.address)
        deed.finish()
      }
      loop.perform {}
    case .use(let name, let key, let use): self.use(input, name, key, use)
    }
  }

  private func begin(_ input: ReplayInput, isTold: (@Sendable () -> Bool)? = nil) -> ReplayedDeed {
    let took = script.time(ofLine: input.line) - input.time
    let deed = ReplayedDeed(line: input.line, limit: loop.now + took + Self.patience, isTold: isTold)
    pending.append(deed)
    return deed
  }

  private func use(_ input: ReplayInput, _ name: String, _ key: AttributeKey, _ use: ReplayInput.Use) {
    guard let central = centrals[name] else { return }
    let (phone, log, line) = (phones[input.phone].address, log, input.line)
    // What has just been published is found a little later.
    wait(until: loop.now + Self.patience) { find(key, input.phone, central) != nil }
    guard let found = find(key, input.phone, central) else {
      let isConnected = loop.perform { central.assumeIsolated { $0.isConnected(to: phone) } }
      let what = key.descriptor.map { "\(key.characteristic)/\($0)" } ?? "\(key.characteristic)"
      return log.note(
        isConnected ? "the central finds no \(what) in the service \(key.service)" : "the central is not connected",
        line: line)
    }
    guard let operation = Self.operation(use, found, key) else {
      return log.note("the characteristic \(key.characteristic) cannot be subscribed to", line: line)
    }
    let before = log.requests(of: name)
    let isTold: (@Sendable () -> Bool)? =
      switch use {
      case .read, .write: { log.requests(of: name) > before }
      case .subscribe, .unsubscribe: nil
      }
    let deed = begin(input, isTold: isTold)
    Task(executorPreference: loop) {
      do throws(ClientFailure) { _ = try await central.perform(operation, at: phone) } catch {
        log.note("the central gets \(error)", line: line)
      }
      deed.finish()
    }
    loop.perform {}
  }

  private static func operation(
    _ use: ReplayInput.Use, _ found: RemoteCharacteristic, _ key: AttributeKey
  ) -> ClientOperation? {
    let attribute = key.descriptor.flatMap { name in found.descriptors.first { $0.uuid == name }?.handle }
    let handle = attribute ?? found.value
    switch use {
    case .read(let offset): return .read(handle, offset: offset)
    case .write(let value, let offset, let isAcknowledged):
      // What only looks like a command is one that bluetoothd has answered itself.
      return isAcknowledged || offset > 0
        ? .write(handle, value, offset: offset, isReliable: offset > 0) : .command(handle, value)
    case .subscribe, .unsubscribe:
      guard let configuration = found.clientConfiguration else { return nil }
      let bits: UInt8 = use == .unsubscribe ? 0 : found.properties & 0x10 == 0 ? 2 : 1
      return .write(configuration, [bits, 0], offset: 0, isReliable: false)
    }
  }

  /// As the central knows it: of several services of one UUID, that of the app.
  private func find(_ key: AttributeKey, _ phone: Int, _ central: SimulatedCentral) -> RemoteCharacteristic? {
    let address = phones[phone].address
    let services = loop.perform { central.assumeIsolated { $0.services(of: address) } }
    let start = key.app.flatMap { log.handle(phone: phone, app: $0, service: key.service) }
    let ofUUID = services.filter { $0.uuid == key.service }
    let ofApp = ofUUID.filter { service in start.map { Int(service.range.lowerBound.rawValue) == $0 } ?? true }
    let found = (ofApp.isEmpty ? ofUUID : ofApp).flatMap(\.characteristics).first { $0.uuid == key.characteristic }
    guard let descriptor = key.descriptor, let found else { return found }
    return found.descriptors.contains { $0.uuid == descriptor } ? found : nil
  }
}
