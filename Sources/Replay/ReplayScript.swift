import Control
package import EventTrace
import GATT
import VirtualBlueZ

/// What was done from outside in a trace, each at its time.
package struct ReplayScript: Sendable {
  /// In the order in which they are done.
  package private(set) var inputs: [ReplayInput] = []
  /// All events of the trace.
  package private(set) var moments: [Moment] = []
  /// By address, where one shows: the ATT_MTU of a central's connections.
  package private(set) var mtus: [String: Int] = [:]
  /// Those that have entered a passkey.
  package private(set) var typists: Set<String> = []
  /// From the first event to the last.
  package private(set) var length = Duration.zero

  private var phones: [PhoneState]
  private var times: [Int: Duration] = [:]

  /// What has been heard of a phone so far.
  private struct PhoneState {
    let name: String?
    var isOn: Bool?
    /// What becomes of the radio by what the user has asked for.
    var implied: [Bool] = []
    var launched: Set<String> = []
    /// The apps that have published something.
    var published: Set<String> = []
    /// By address, the last read of a central.
    var reads: [String: (key: AttributeKey, offset: Int, length: Int)] = [:]
  }

  /// - Throws: `TraceFault` where the trace has no beginning that a replay can begin with, or misses events.
  package init(_ trace: TraceFile) throws(TraceFault) {
    phones = trace.header.phones.map { PhoneState(name: $0.name) }
    guard let first = trace.lines.first else { throw TraceFault(line: nil, "has no events") }
    for line in trace.lines {
      length = max(length, line.time.sinceEpoch - first.time.sinceEpoch)
      guard let phone = phones.firstIndex(where: { $0.name == line.record.phone }) else { continue }
      let moment = Moment(line: line.number, time: length, phone: phone, line.record)
      moments.append(moment)
      times[line.number] = length
      if let deed = try take(moment) { add(deed, moment) }
    }
    // A request that took long came before what was told before its answer.
    inputs.sort { ($0.time, $0.line) < ($1.time, $1.line) }
    try checkConnections()
  }

  private mutating func add(_ deed: ReplayInput.Deed, _ moment: Moment) {
    let took = Duration.milliseconds(max(0, moment.record.took ?? 0))
    inputs.append(
      ReplayInput(line: moment.line ?? 0, time: max(.zero, moment.time - took), phone: moment.phone, deed: deed))
  }

  private mutating func take(_ moment: Moment) throws(TraceFault) -> ReplayInput.Deed? {
    let record = moment.record
    func fault(_ reason: String) -> TraceFault { TraceFault(line: moment.line, reason) }
    switch record.event {
    case "restored":
      throw fault(
        "the phone has begun with what it had kept of \(record.app ?? "an app"), which a replay has not; record from a "
          + "phone that keeps nothing ('blepera preserved forget')")
    case "poweredOn": return power(true, moment.phone)
    case "poweredOff", "noAdapter", "noDaemon": return power(false, moment.phone)
    case "published":
      if let app = record.app { phones[moment.phone].published.insert(app) }
      return nil
    case "state":
      guard let app = record.app else { throw fault("'state' needs 'app'") }
      return phones[moment.phone].launched.insert(app).inserted ? .launch(app: app) : nil
    case "asked":
      guard let command = record.what.flatMap({ ControlRequest.Command(rawValue: $0) }) else {
        throw fault("nobody can ask a phone '\(record.what ?? "")'")
      }
      let by = record.by.flatMap { ControlRequest.Switch(rawValue: $0) }
      phones[moment.phone].implied += command.impliedPower
      return .ask(ControlRequest(command, app: record.app, by: by))
    case "connected": return .connect(central: try central(of: moment))
    case "disconnected": return .disconnect(central: try central(of: moment))
    case "paired", "pairingRefused": return .pair(central: try central(of: moment))
    case "passkey":
      typists.insert(try central(of: moment))
      return nil
    case "subscribed": return .use(central: try central(of: moment), try attribute(of: moment), .subscribe)
    case "unsubscribed": return .use(central: try central(of: moment), try attribute(of: moment), .unsubscribe)
    case "read": return try read(moment)
    case "write":
      guard let value = record.value.flatMap({ Hex.bytes($0) }) else {
        throw fault("'write' needs 'value', hexadecimal digits")
      }
      return .use(
        central: try central(of: moment), try attribute(of: moment),
        .write(value, offset: record.offset ?? 0, isAcknowledged: record.acknowledged ?? true))
    default: return nil
    }
  }

  /// The first one is the phone's beginning.
  private mutating func power(_ isOn: Bool, _ phone: Int) -> ReplayInput.Deed? {
    let was = phones[phone].isOn
    guard was != nil || isOn else { return nil }
    phones[phone].isOn = isOn
    guard let was else { return nil }
    if phones[phone].implied.first == isOn {
      phones[phone].implied.removeFirst()
      return nil
    }
    return was == isOn ? nil : .power(isOn)
  }

  /// A long value takes several reads, which are one deed of the central's.
  private mutating func read(_ moment: Moment) throws(TraceFault) -> ReplayInput.Deed? {
    let central = try central(of: moment)
    let key = try attribute(of: moment)
    let offset = moment.record.offset ?? 0
    let last = phones[moment.phone].reads[central]
    phones[moment.phone].reads[central] = (key, offset, (moment.record.value?.utf8.count ?? 0) / 2)
    if let last, last.key == key, offset > last.offset, last.length >= offset - last.offset {
      if mtus[central] == nil { mtus[central] = offset - last.offset + 1 }
      return nil
    }
    return .use(central: central, key, .read(offset: offset))
  }

  private func central(of moment: Moment) throws(TraceFault) -> String {
    guard let central = moment.record.central else {
      throw TraceFault(line: moment.line, "'\(moment.record.event)' needs 'central'")
    }
    guard DeviceAddress(central) != nil else {
      throw TraceFault(line: moment.line, "'\(central)' is no address of a central")
    }
    return central
  }

  private func attribute(of moment: Moment) throws(TraceFault) -> AttributeKey {
    let record = moment.record
    func uuid(_ text: String?) throws(TraceFault) -> BluetoothUUID? {
      guard let text else { return nil }
      guard let uuid = BluetoothUUID(text) else { throw TraceFault(line: moment.line, "'\(text)' is no UUID") }
      return uuid
    }
    guard let service = try uuid(record.service), let characteristic = try uuid(record.characteristic) else {
      throw TraceFault(line: moment.line, "'\(record.event)' needs 'service' and 'characteristic'")
    }
    if let app = record.app, !phones[moment.phone].published.contains(app) {
      throw TraceFault(
        line: moment.line,
        "a central uses \(app), and the trace has no 'published' of it before: it was there when the trace was begun; "
          + "record from its launch on")
    }
    return AttributeKey(
      app: record.app, service: service, characteristic: characteristic, descriptor: try uuid(record.descriptor))
  }

  /// The addresses of all centrals, sorted.
  package var centrals: [String] {
    let names = inputs.compactMap { input in
      switch input.deed {
      case .connect(let central), .disconnect(let central), .pair(let central), .use(let central, _, _): central
      case .launch, .ask, .power: nil
      }
    }
    return Set(names).sorted()
  }

  /// When the trace has told of it.
  func time(ofLine line: Int) -> Duration { times[line] ?? .zero }

  /// A central that does something has to be there.
  private mutating func checkConnections() throws(TraceFault) {
    struct Link: Hashable {
      let phone: Int
      let central: String
    }
    var links: Set<Link> = []
    var kept: [ReplayInput] = []
    for input in inputs {
      switch input.deed {
      case .connect(let central): links.insert(Link(phone: input.phone, central: central))
      case .disconnect(let central): links.remove(Link(phone: input.phone, central: central))
      case .use(let central, _, .unsubscribe):
        // It comes of the connection's end.
        guard links.contains(Link(phone: input.phone, central: central)) else { continue }
      case .pair(let central), .use(let central, _, _):
        guard links.contains(Link(phone: input.phone, central: central)) else {
          throw TraceFault(
            line: input.line, "\(central) is not connected here: the trace has no 'connected' of it before")
        }
      case .launch, .ask, .power: break
      }
      kept.append(input)
    }
    inputs = kept
  }
}

extension ControlRequest.Command {
  /// What the radio does by it.
  fileprivate var impliedPower: [Bool] {
    switch self {
    case .bluetoothOff: [false]
    case .bluetoothOn: [true]
    case .bluetoothReset, .reboot: [false, true]
    case .foreground, .background, .suspend, .lock, .unlock, .status, .events, .quit, .terminate, .shutdown, .forget: []
    }
  }
}
