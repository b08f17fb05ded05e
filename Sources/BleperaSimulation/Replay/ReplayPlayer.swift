import BleperaAir
import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaPhone
package import BleperaProfile
import BleperaProfileApp
package import BleperaRecording
import BleperaRules

/// The profile with which an app of a trace is replayed.
package struct ReplayedApp: Hashable, Sendable {
  package let profile: Profile
  /// Used for an identifier or name that the profile omits.
  package let name: String

  package init(profile: Profile, name: String) {
    self.profile = profile
    self.name = name
  }

  package var identifier: String { profile.bundleIdentifier ?? name }
}

/// Plays the inputs of a trace in virtual time, each after everything recorded before has happened.
package final class ReplayPlayer {
  private let backend: VirtualBackend
  package let air: Air
  private let log = ReplayLog()
  private let links = LinkTable()
  private let header: TraceHeader
  private let script: ReplayScript
  private var phones: [(phone: Phone, address: DeviceAddress, apps: [String: App])] = []
  private var centrals: [String: VirtualCentral] = [:]
  private var periods: [ValueKey: Duration] = [:]
  /// Operations that have begun and may be unfinished.
  private var pending: [PendingOperation] = []
  /// The number of recorded events up to `nextEntry`, in streams that advance by themselves.
  private var recorded: [EventStream: Int] = [:]
  private var nextEntry = 0

  private var loop: VirtualLoop { backend.virtualLoop }

  /// The latency of a packet: almost zero, so that effects occur at the time of their causes.
  private static let latency = Duration.microseconds(500)
  /// How much longer an action may take than in the trace.
  private static let actionTimeout = Duration.milliseconds(300)
  private static let connectionTimeout = Duration.seconds(2)
  /// How much longer the replay runs than the trace, for late events.
  private static let tail = Duration.seconds(1)
  private static let step = Duration.milliseconds(1)

  /// - Parameters:
  ///   - apps: The apps named in the header, in any order.
  ///   - bluezTimeLimit: How long an app may take to respond to a request over bluetoothd.
  /// - Throws: `TraceFault` if the apps differ, or if no rules exist for the trace's iOS version.
  package init(
    _ trace: TraceFile, _ script: ReplayScript, apps: [ReplayedApp], bluezTimeLimit: Duration
  ) throws(TraceFault) {
    let apps = try Self.table(of: apps, trace.header)
    guard let ios = IOSVersion(rawValue: trace.header.ios) else {
      throw TraceFault(line: 1, "there are no rules of iOS \(trace.header.ios) here; choose others with --ios")
    }
    let limit = trace.header.radio == .virtual ? nil : bluezTimeLimit
    let measured = try Self.measuredPhone(trace.header)
    self.script = script
    header = trace.header
    let backend = VirtualBackend(
      seed: header.seed, conditions: AirConditions(latency: Self.latency, interval: .zero),
      beginning: .zero)
    self.backend = backend
    // The phones' names are their numbers. The log has the apps, and they have the air.
    let record = { @Sendable [weak log] (record: EventRecord) in
      var event = record
      (event.time, event.side, event.phone) = ("", nil, nil)
      log?.add(event, phone: record.phone.flatMap { Int($0) } ?? 0, at: backend.virtualLoop.now)
    }
    air = Air(on: .virtual, backend, record: record) { _ in }
    // Neither of a manufacturer nor random, as no central's should be.
    let taken = Set(script.centrals.compactMap { DeviceAddress($0) })
    let addresses = (0x0200_0000_0000...).lazy.map { DeviceAddress(bits: $0) }.filter { !taken.contains($0) }
    for (number, address) in zip(header.phones.indices, addresses) {
      let rules = RuleSet(ios).with(phoneKind: header.phoneKind.flatMap { PhoneKind(rawValue: $0) } ?? .earlier)
      // Centrals of the trace may have found the phone by what it sends of its own.
      let own = rules.with(measured).with(ownItems: [.nearbyInfo])
      addPhone(number, at: address, own.with(splitView: header.splitView ?? false), apps, limit)
    }
    for name in script.centrals { addCentral(name) }
  }

  private static func measuredPhone(_ header: TraceHeader) throws(TraceFault) -> MeasuredPhone? {
    guard let text = header.like else { return nil }
    let check = MeasuredPhone.check(Array(text.utf8), file: "like")
    guard let phone = check.phone else {
      throw TraceFault(line: 1, check.diagnostics.first.map { "\($0)" } ?? "the phone of the trace has an error")
    }
    return phone
  }

  private static func table(
    of apps: [ReplayedApp], _ header: TraceHeader
  ) throws(TraceFault) -> [String: ReplayedApp] {
    let wanted = Set(header.phones.flatMap(\.apps)).sorted()
    guard !wanted.isEmpty else {
      throw TraceFault(line: 1, "the trace is of no app with a profile, and cannot be played")
    }
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

  private func addPhone(
    _ number: Int, at address: DeviceAddress, _ rules: RuleSet, _ apps: [String: ReplayedApp],
    _ bluezTimeLimit: Duration?
  ) {
    let (description, pairing) = (header.phones[number], header.pairing)
    let phone = Phone(
      on: air, named: "\(number)", rules: rules, phoneServices: header.phoneServices ?? false
    ) { [backend] in
      backend.addPhone(
        named: description.name ?? "phone", address: address, pairing: pairing, bluezTimeLimit: bluezTimeLimit)
    }
    var installed: [String: App] = [:]
    for (place, app) in description.apps.compactMap({ apps[$0] }).enumerated() {
      let seed = TraceHeader.seed(header.seed, phone: number, app: place)
      var profile = app.profile
      profile.bundleIdentifier = app.identifier
      let machine = ProfileMachine(profile: profile, name: app.name, seed: seed)
      let definition = AppDefinition(profile: profile, fallbackName: app.name, seed: seed)
      let instance = phone.install(definition)
      installed[app.identifier] = instance
      log.add(instance, machine, phone: number)
      addPeriods(of: app, machine, phone: number)
    }
    phones.append((phone, address, installed))
  }

  /// Collects the periods of characteristics that notify values periodically.
  private func addPeriods(of app: ReplayedApp, _ machine: ProfileMachine, phone: Int) {
    for service in app.profile.services {
      for characteristic in service.characteristics {
        let (service, uuid) = (service.definition.uuid, characteristic.definition.uuid)
        guard let generator = machine.generator(of: service, uuid), generator.interval > .zero else { continue }
        let key = ValueKey(phone: phone, app: app.identifier, service: service, characteristic: uuid)
        if periods[key] == nil { periods[key] = generator.interval }
      }
    }
  }

  private func addCentral(_ name: String) {
    guard let address = DeviceAddress(name) else { return }
    // A central that can type makes the phone show a passkey.
    let capability: PairingCapability = script.passkeyCentrals.contains(name) ? .keyboardOnly : .noInputNoOutput
    centrals[name] = backend.addCentral(at: address, mtu: script.mtus[name], capability: capability) { [links] event in
      links.receive(event, of: name)
    }
  }

  // MARK: Playing

  /// Plays all inputs.
  package func play() -> TraceComparison {
    for input in script.inputs {
      loop.run(until: max(loop.now, input.time))
      settle(before: input.line)
      // A slow request was sent before events that were recorded during the request.
      if script.time(ofLine: input.line) == input.time { follow(to: input.line) }
      play(input)
    }
    settle(before: .max)
    loop.run(until: max(loop.now, script.length) + Self.tail)
    return TraceComparison(
      expected: script.entries, actual: log.entries, periods: periods, end: script.length, notes: log.notes)
  }

  /// Lets time pass until the actions of earlier lines are done.
  private func settle(before line: Int) {
    for operation in pending where operation.line < line { wait(until: operation.limit) { operation.isDone } }
    pending.removeAll { $0.line < line || $0.isDone }
  }

  /// Lets time pass until streams that advance by themselves have as many events as the trace has before that line, so
  /// that an app's actions in the same millisecond come first again.
  private func follow(to line: Int) {
    while nextEntry < script.entries.count, (script.entries[nextEntry].line ?? 0) < line {
      if let stream = EventStream(script.entries[nextEntry]), stream.advancesByItself {
        recorded[stream, default: 0] += 1
      }
      nextEntry += 1
    }
    for (stream, count) in recorded where log.count(stream) < count {
      wait(until: loop.now + Self.actionTimeout) { log.count(stream) >= count }
      // The replay diverges; do not wait for the rest of the stream.
      if log.count(stream) < count { recorded[stream] = .min }
    }
  }

  private func wait(until limit: Duration, _ isDone: () -> Bool) {
    while !isDone(), loop.now < limit { loop.run(until: loop.now + Self.step) }
  }

  private func play(_ input: ReplayInput) {
    let (phone, address, apps) = phones[input.phone]
    switch input.action {
    case .launch(let app):
      let mode: LaunchMode = header.launch == "background" ? .leftForeground : .foreground
      loop.perform { apps[app]?.start(into: mode) }
    case .control(let request):
      _ = loop.run(until: loop.now + .seconds(10)) { [system = phone.system] in _ = await system.perform(request) }
    case .power(let isOn): backend.apply(.power(isOn), at: phone.identityAddress)
    case .connect(let name):
      guard let central = centrals[name] else { return }
      loop.perform { central.assumeIsolated { $0.connect(to: address, isAtOnce: true) } }
      wait(until: loop.now + Self.connectionTimeout) { links.isResolved(name, address) }
      if !links.isResolved(name, address) {
        log.note("the phone does not advertise anything connectable", line: input.line)
      }
    case .disconnect(let name):
      guard let central = centrals[name] else { return }
      loop.perform { central.assumeIsolated { $0.disconnect(from: address) } }
    case .pair(let name):
      guard let central = centrals[name] else { return }
      let operation = begin(input)
      Task(executorPreference: loop) {
        _ = try? await central.pair(with: address)
        operation.finish()
      }
      loop.perform {}
    case .use(let name, let key, let use):
      guard let central = centrals[name], let found = found(key, input, central) else { return }
      guard let operation = Self.operation(use, found, key) else {
        return log.note("the characteristic \(key.characteristic) cannot be subscribed to", line: input.line)
      }
      switch use {
      case .read, .write: perform(operation, input, by: central, name, isReported: true)
      case .subscribe, .unsubscribe: perform(operation, input, by: central, name, isReported: false)
      }
    case .execute(let name, let pieces):
      guard let central = centrals[name] else { return }
      let writes = pieces.compactMap { piece in
        found(piece.key, input, central).map { found in
          AttributeWrite(handle: Self.handle(piece.key, of: found), offset: piece.offset, value: piece.value)
        }
      }
      guard writes.count == pieces.count else { return }
      perform(.prepared(writes), input, by: central, name, isReported: true)
    }
  }

  private func begin(_ input: ReplayInput, isReported: (@Sendable () -> Bool)? = nil) -> PendingOperation {
    let took = script.time(ofLine: input.line) - input.time
    let operation = PendingOperation(
      line: input.line, limit: loop.now + took + Self.actionTimeout, isReported: isReported)
    pending.append(operation)
    return operation
  }

  /// The attribute's characteristic; nil, with the reason noted, if the central does not find the attribute.
  private func found(_ key: AttributeKey, _ input: ReplayInput, _ central: VirtualCentral) -> RemoteCharacteristic? {
    // A service that has just been published is discovered slightly later.
    wait(until: loop.now + Self.actionTimeout) { find(key, input.phone, central) != nil }
    if let found = find(key, input.phone, central) { return found }
    let phone = phones[input.phone].address
    let isConnected = loop.perform { central.assumeIsolated { $0.isConnected(to: phone) } }
    let what = key.descriptor.map { "\(key.characteristic)/\($0)" } ?? "\(key.characteristic)"
    log.note(
      isConnected ? "the central finds no \(what) in the service \(key.service)" : "the central is not connected",
      line: input.line)
    return nil
  }

  /// - Parameter isReported: Whether the phone reports the operation as a request.
  private func perform(
    _ operation: ClientOperation, _ input: ReplayInput, by central: VirtualCentral, _ name: String, isReported: Bool
  ) {
    let (phone, log, line) = (phones[input.phone].address, log, input.line)
    let before = log.requests(of: name)
    let hasReport: @Sendable () -> Bool = { log.requests(of: name) > before }
    let pending = begin(input, isReported: isReported ? hasReport : nil)
    Task(executorPreference: loop) {
      do throws(ClientFailure) { _ = try await central.perform(operation, at: phone) } catch {
        log.note("the central gets \(error)", line: line)
      }
      pending.finish()
    }
    loop.perform {}
  }

  private static func operation(
    _ use: ReplayInput.Use, _ found: RemoteCharacteristic, _ key: AttributeKey
  ) -> ClientOperation? {
    let handle = handle(key, of: found)
    switch use {
    case .read(let offset): return .read(handle, offset: offset)
    case .write(let value, let offset, let isAcknowledged):
      // bluetoothd itself responded to a write with an offset that looks like a command.
      return isAcknowledged || offset > 0
        ? .write(handle, value, offset: offset, isReliable: offset > 0) : .command(handle, value)
    case .subscribe, .unsubscribe:
      guard let configuration = found.clientConfiguration else { return nil }
      let bits: UInt8 = use == .unsubscribe ? 0 : found.properties & 0x10 == 0 ? 2 : 1
      return .write(configuration, [bits, 0], offset: 0, isReliable: false)
    }
  }

  private static func handle(_ key: AttributeKey, of found: RemoteCharacteristic) -> AttributeHandle {
    key.descriptor.flatMap { name in found.descriptors.first { $0.uuid == name }?.handle } ?? found.value
  }

  /// The characteristic as discovered by the central; if several services have the UUID, that of the app.
  private func find(_ key: AttributeKey, _ phone: Int, _ central: VirtualCentral) -> RemoteCharacteristic? {
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
