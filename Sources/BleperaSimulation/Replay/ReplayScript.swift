import BleperaAir
import BleperaAppLink
import BleperaBluetooth
package import BleperaRecording

/// The external inputs of a trace with their times.
package struct ReplayScript: Sendable {
  /// In the order in which they are played.
  package private(set) var inputs: [ReplayInput] = []
  /// All events of the trace.
  package private(set) var entries: [TraceEntry] = []
  /// The ATT_MTU of a central's connections by address, as far as the trace shows it.
  package private(set) var mtus: [String: Int] = [:]
  /// Centrals that have entered a passkey.
  package private(set) var passkeyCentrals: Set<String> = []
  /// The time from the first event to the last.
  package private(set) var length = Duration.zero

  /// A replay simulates each hour; nobody records for so long without an event.
  private static let longestGap = Duration.seconds(30 * 86_400)

  private var phones: [PhoneState]
  private var times: [Int: Duration] = [:]

  /// The state of a phone at the current line.
  private struct PhoneState {
    let name: String?
    var isOn: Bool?
    /// Expected power changes that a user's request causes.
    var requestedPower: [Bool] = []
    var launched: Set<String> = []
    /// The apps that have published services.
    var published: Set<String> = []
    /// The last read of each central, by address.
    var reads: [String: (key: AttributeKey, offset: Int, length: Int)] = [:]
    /// The first line and the pieces of each central's prepared write that is not complete yet, by address.
    var pieces: [String: (line: Int?, pieces: [ReplayInput.Piece])] = [:]
  }

  /// - Throws: `TraceFault` if a replay cannot start where the trace does, or if the trace lacks events.
  package init(_ trace: TraceFile) throws(TraceFault) {
    phones = trace.header.phones.map { PhoneState(name: $0.name) }
    guard let first = trace.lines.first else { throw TraceFault(line: nil, "has no events") }
    for line in trace.lines {
      let time = line.time.sinceEpoch - first.time.sinceEpoch
      guard time - length <= Self.longestGap else {
        throw TraceFault(
          line: line.number,
          "its time is more than \(Self.longestGap.components.seconds / 86_400) days after that of the line before: the "
            + "clock was set while the trace was recorded; correct 'time' from here on")
      }
      length = max(length, time)
      guard let phone = phones.firstIndex(where: { $0.name == line.record.phone }) else { continue }
      let entry = TraceEntry(line: line.number, time: length, phone: phone, record: line.record)
      entries.append(entry)
      times[line.number] = length
      if let action = try action(entry) { add(action, entry) }
      if let (action, first) = try execution(entry) { add(action, entry, line: first) }
    }
    // A slow request was sent before events that were recorded before its response.
    inputs.sort { ($0.time, $0.line) < ($1.time, $1.line) }
    try checkConnections()
  }

  private mutating func add(_ action: ReplayInput.Action, _ entry: TraceEntry, line: Int? = nil) {
    let took = max(.zero, entry.record.responseTime ?? .zero)
    inputs.append(
      ReplayInput(
        line: line ?? entry.line ?? 0, time: max(.zero, entry.time - took), phone: entry.phone, action: action))
  }

  private mutating func action(_ entry: TraceEntry) throws(TraceFault) -> ReplayInput.Action? {
    let record = entry.record
    func fault(_ reason: String) -> TraceFault { TraceFault(line: entry.line, reason) }
    switch record.event {
    case .restored where record[.preservedSince] == nil && record[.screenLocked] == nil: return nil
    case .restored:
      throw fault(
        "the phone began with preserved state of \(record.app ?? "an app"), which a replay does not have; record from a "
          + "phone without preserved state (with '--fresh' on a virtual radio, or after 'blepera preserved forget')")
    case .eventsOmitted:
      throw fault("\(record.number(.count) ?? 0) events are missing here: nobody read the trace while it was recorded")
    case .poweredOn: return power(true, entry.phone)
    case .poweredOff, .noAdapter, .noDaemon: return power(false, entry.phone)
    case .published:
      if let app = record.app { phones[entry.phone].published.insert(app) }
      return nil
    case .state:
      guard let app = record.app else { throw fault("'state' needs 'app'") }
      return phones[entry.phone].launched.insert(app).inserted ? .launch(app: app) : nil
    case .commandReceived:
      guard let command = record.text(.command).flatMap({ ControlRequest.Command(rawValue: $0) }) else {
        throw fault("a phone has no command '\(record.text(.command) ?? "")'")
      }
      let method = record.text(.method).flatMap { BluetoothSwitch(rawValue: $0) }
      phones[entry.phone].requestedPower += command.causedPower
      return .control(
        ControlRequest(
          command, app: record.app, method: method, characteristic: record.uuid(.characteristic),
          value: record.bytes(.value)))
    case .connected: return .connect(central: try central(of: entry))
    case .disconnected: return .disconnect(central: try central(of: entry))
    case .paired, .pairingRefused: return .pair(central: try central(of: entry))
    case .passkey:
      passkeyCentrals.insert(try central(of: entry))
      return nil
    case .subscribed: return .use(central: try central(of: entry), try attribute(of: entry), .subscribe)
    case .unsubscribed: return .use(central: try central(of: entry), try attribute(of: entry), .unsubscribe)
    case .read: return try read(entry)
    case .write:
      guard record[.pieces] == nil else { return nil }
      return .use(
        central: try central(of: entry), try attribute(of: entry),
        .write(try value(of: entry), offset: try offset(of: entry), isAcknowledged: record.flag(.acknowledged) ?? true))
    default: return nil
    }
  }

  /// The prepared write whose last piece the entry is, with the line of its first piece.
  private mutating func execution(_ entry: TraceEntry) throws(TraceFault) -> (ReplayInput.Action, line: Int?)? {
    let record = entry.record
    guard record.event == .write, let pieces = record.number(.pieces) else { return nil }
    let central = try central(of: entry)
    let piece = ReplayInput.Piece(
      key: try attribute(of: entry), offset: try offset(of: entry), value: try value(of: entry))
    var earlier = phones[entry.phone].pieces.removeValue(forKey: central) ?? (entry.line, [])
    earlier.pieces.append(piece)
    guard record.number(.piece) == earlier.pieces.count else {
      throw TraceFault(line: entry.line, "a piece of a prepared write comes without those before")
    }
    guard earlier.pieces.count < pieces else { return (.execute(central: central, earlier.pieces), earlier.line) }
    phones[entry.phone].pieces[central] = earlier
    return nil
  }

  private func offset(of entry: TraceEntry) throws(TraceFault) -> Int {
    let offset = entry.record.number(.offset) ?? 0
    guard UInt16(exactly: offset) != nil else {
      throw TraceFault(line: entry.line, "'offset' must be from 0 to 65535, not \(offset)")
    }
    return offset
  }

  private func value(of entry: TraceEntry) throws(TraceFault) -> [UInt8] {
    guard let value = entry.record.bytes(.value) else {
      throw TraceFault(line: entry.line, "'write' needs 'value', hexadecimal digits")
    }
    return value
  }

  /// The first event is the state of the phone at the start.
  private mutating func power(_ isOn: Bool, _ phone: Int) -> ReplayInput.Action? {
    let was = phones[phone].isOn
    guard was != nil || isOn else { return nil }
    phones[phone].isOn = isOn
    guard let was else { return nil }
    if phones[phone].requestedPower.first == isOn {
      phones[phone].requestedPower.removeFirst()
      return nil
    }
    return was == isOn ? nil : .power(isOn)
  }

  /// A long value needs several reads, which are one action of the central.
  private mutating func read(_ entry: TraceEntry) throws(TraceFault) -> ReplayInput.Action? {
    let central = try central(of: entry)
    let key = try attribute(of: entry)
    let offset = try offset(of: entry)
    let last = phones[entry.phone].reads[central]
    phones[entry.phone].reads[central] = (key, offset, entry.record.bytes(.value)?.count ?? 0)
    if let last, last.key == key, offset > last.offset, last.length >= offset - last.offset {
      // A central that begins anew at a low offset shows no MTU.
      let mtu = offset - last.offset + 1
      if mtus[central] == nil, ATTMTU.range.contains(mtu) { mtus[central] = mtu }
      return nil
    }
    return .use(central: central, key, .read(offset: offset))
  }

  private func central(of entry: TraceEntry) throws(TraceFault) -> String {
    guard let central = entry.record.text(.central) else {
      throw TraceFault(line: entry.line, "'\(entry.record.event.rawValue)' needs 'central'")
    }
    guard DeviceAddress(central) != nil else {
      throw TraceFault(line: entry.line, "'\(central)' is not the address of a central")
    }
    return central
  }

  private func attribute(of entry: TraceEntry) throws(TraceFault) -> AttributeKey {
    let record = entry.record
    guard let service = record.uuid(.service), let characteristic = record.uuid(.characteristic) else {
      throw TraceFault(line: entry.line, "'\(record.event.rawValue)' needs 'service' and 'characteristic'")
    }
    if let app = record.app, !phones[entry.phone].published.contains(app) {
      throw TraceFault(
        line: entry.line,
        "a central uses \(app), which has no 'published' before in the trace: the app ran when the trace began; "
          + "record from its launch on")
    }
    return AttributeKey(
      app: record.app, service: service, characteristic: characteristic, descriptor: record.uuid(.descriptor))
  }

  /// The addresses of all centrals, sorted.
  package var centrals: [String] {
    let names = inputs.compactMap { input in
      switch input.action {
      case .connect(let central), .disconnect(let central), .pair(let central), .use(let central, _, _),
        .execute(let central, _):
        central
      case .launch, .control, .power: nil
      }
    }
    return Set(names).sorted()
  }

  /// The time of a line.
  func time(ofLine line: Int) -> Duration { times[line] ?? .zero }

  /// Checks that each central is connected when it acts.
  private mutating func checkConnections() throws(TraceFault) {
    struct Link: Hashable {
      let phone: Int
      let central: String
    }
    var links: Set<Link> = []
    var playable: [ReplayInput] = []
    for input in inputs {
      switch input.action {
      case .connect(let central): links.insert(Link(phone: input.phone, central: central))
      case .disconnect(let central): links.remove(Link(phone: input.phone, central: central))
      case .use(let central, _, .unsubscribe):
        // The end of the connection causes the unsubscription.
        guard links.contains(Link(phone: input.phone, central: central)) else { continue }
      case .pair(let central), .use(let central, _, _), .execute(let central, _):
        guard links.contains(Link(phone: input.phone, central: central)) else {
          throw TraceFault(
            line: input.line, "\(central) is not connected here: the trace has no 'connected' before")
        }
      case .launch, .control, .power: break
      }
      playable.append(input)
    }
    inputs = playable
  }
}

extension ControlRequest.Command {
  /// The power changes that the command causes.
  fileprivate var causedPower: [Bool] {
    switch self {
    case .bluetoothOff: [false]
    case .bluetoothOn: [true]
    case .bluetoothReset, .reboot: [false, true]
    case .launch, .foreground, .background, .suspend, .lock, .unlock, .status, .events, .quit, .terminate, .shutdown,
      .forget,
      .notify:
      []
    }
  }
}
