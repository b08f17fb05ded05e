import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// A command with the reason for which it is sent.
struct ControllerCommand: Sendable {
  enum Purpose: Hashable, Sendable {
    case start(HCILinkLayer.StartStep)
    case slot(UInt8, SlotStep)
    case randomAddress(DeviceAddress)
    case scan(ScanStep)
    case attempt(AttemptStep)
    case link(UInt16, LinkStep)
    case rssi(UInt16, OperationID)
  }

  let opcode: UInt16
  let packet: [UInt8]
  /// Whether the controller answers with Command Status, and an event follows.
  let isStatus: Bool
  let purpose: Purpose

  init<Parameters, Returns>(
    _ type: HCICommandType<Parameters, Returns>, _ parameters: Parameters, for purpose: Purpose
  ) {
    let bytes = parameters.bytes
    opcode = type.opcode.rawValue
    packet = [HCIPacketKind.command.rawValue] + LittleEndian.bytes(opcode) + [UInt8(clamping: bytes.count)] + bytes
    (isStatus, self.purpose) = (type.isStatus, purpose)
  }

  /// The link that the command is for; nil for other commands.
  var link: UInt16? {
    switch purpose {
    case .link(let handle, _), .rssi(let handle, _): handle
    case .start, .slot, .randomAddress, .scan, .attempt: nil
    }
  }
}

/// The command in flight, of which there is one at a time, and the commands for links that wait.
struct CommandQueue: Sendable {
  /// How long a controller may take for an answer (Core Specification, Vol 4, Part E, 4.4: one second; ours is two).
  static let timeout = Duration.seconds(2)

  private(set) var inFlight: ControllerCommand?
  /// The commands for links, which go before everything else, since a peer waits.
  private(set) var waiting: [ControllerCommand] = []
  private var hasCredit = true
  private var lastOpcode: UInt16 = 0
  /// When the command in flight, or a credit, is given up.
  private(set) var deadline: Duration?

  var isFree: Bool { inFlight == nil && hasCredit }

  /// A command takes the place of one for the same purpose that has not been sent.
  mutating func add(_ command: ControllerCommand) {
    waiting.removeAll { $0.purpose == command.purpose }
    waiting.append(command)
  }

  mutating func takeWaiting() -> ControllerCommand? { waiting.isEmpty ? nil : waiting.removeFirst() }

  /// Returns the commands of a link that has ended.
  mutating func drop(link: UInt16) -> [ControllerCommand] {
    defer { waiting.removeAll { $0.link == link } }
    return waiting.filter { $0.link == link }
  }

  mutating func send(_ command: ControllerCommand, at now: Duration) -> [UInt8] {
    (inFlight, hasCredit, lastOpcode, deadline) = (command, false, command.opcode, now + Self.timeout)
    return command.packet
  }

  /// Takes Command Complete or Command Status; the opcode 0 brings credits alone. Returns the command that is answered;
  /// nil for an answer that nobody awaits any more.
  mutating func answer(to opcode: UInt16, credits: UInt8, at now: Duration) -> ControllerCommand? {
    hasCredit = credits > 0
    let answered = inFlight?.opcode == opcode ? inFlight : nil
    if answered != nil { inFlight = nil }
    if inFlight == nil { deadline = hasCredit ? nil : now + Self.timeout }
    return answered
  }

  enum Expiry {
    case command(ControllerCommand)
    case credit(after: UInt16)
  }

  mutating func expire(at now: Duration) -> Expiry? {
    guard let end = deadline, end <= now else { return nil }
    defer { (inFlight, hasCredit, deadline) = (nil, true, nil) }
    return inFlight.map { .command($0) } ?? .credit(after: lastOpcode)
  }
}
