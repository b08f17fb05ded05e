import BleperaBluetooth
import BleperaRules

/// The result of `blepera explain --link`.
struct LinkExplanation: CommandReport {
  let ios: Int
  /// Each packet by the keys of the JSON format.
  let link: [[String: String]]
  /// Nil where the peer's ATT_MTU is not given.
  let lengths: SentLengths?

  init(_ rules: RuleSet, peerMTU: Int? = nil, dataLength: Int? = nil) {
    ios = rules.version.rawValue
    lengths = peerMTU.map { SentLengths(rules, peerMTU: $0, dataLength: dataLength) }
    link = rules.openingPackets.map { packet in
      var keys = [
        "role": packet.role.rawValue, "when": packet.time, "name": packet.name, "source": packet.source,
        "standing": packet.standing.rawValue, "emulated": packet.emulation.rawValue,
      ]
      keys["bytes"] = packet.bytes.map { Hex.string($0) }
      return keys
    }
  }

  func lines(for terminal: Terminal) -> [String] {
    let indent = (link.compactMap { $0["when"]?.count }.max() ?? 0) + 2
    var lines: [String] = []
    var role: String?
    for packet in link {
      if packet["role"] != role {
        if role != nil { lines.append("") }
        role = packet["role"]
        lines.append(terminal.styled("iOS \(ios), the phone is the \(role ?? "")", .bold))
      }
      lines += self.lines(packet, terminal, indent: indent)
    }
    return lines + (lengths.map { [""] + $0.lines } ?? [])
  }

  /// Formats a packet, with the bytes on the line of the name if they fit.
  private func lines(_ packet: [String: String], _ terminal: Terminal, indent: Int) -> [String] {
    let width = min(terminal.columns, 120) - indent
    let name = packet["name"] ?? ""
    let head = terminal.styled(TextLayout.padded(packet["when"] ?? "", to: indent), .cyan) + name
    let emulated = packet["emulated"].flatMap { Self.emulated[$0] } ?? ""
    let source = "\(packet["standing"] ?? ""): \(packet["source"] ?? "")\(emulated)"
    let below = TextLayout.wrapped(source, to: width).map { TextLayout.spaces(indent) + terminal.styled($0, .dim) }
    guard let bytes = packet["bytes"] else { return [head] + below }
    let digits = terminal.styled(bytes, .green)
    guard name.count + 2 + bytes.count > width else { return ["\(head)  \(digits)"] + below }
    return [head, TextLayout.spaces(indent) + digits] + below
  }

  private static let emulated = [
    "phoneServices": "; emulated with --phone-services", "stories": "; emulated in stories and scenarios",
    "differently": "; emulated in stories and scenarios, with another value, time or order",
    "never": "; not emulated",
  ]
}

/// How many bytes an app of the phone may send over a link, in either role.
struct SentLengths: Encodable {
  let peerMTU: Int
  /// The data length of the side that sends the shorter PDUs.
  let dataLength: Int
  let mtu: Int
  let notification: Int
  let write: Int
  let longWrite = AttributeValue.maximumLength
  let writeWithoutResponse: Int

  init(_ rules: RuleSet, peerMTU: Int, dataLength: Int?) {
    self.peerMTU = peerMTU
    self.dataLength = min(dataLength ?? DataLength.range.upperBound, rules.dataLength.value)
    mtu = min(peerMTU, rules.offeredMTU(overDataLength: self.dataLength))
    (notification, write, writeWithoutResponse) = (mtu - 3, min(mtu - 3, longWrite), mtu - 3)
  }

  var lines: [String] {
    let pieces = write < longWrite ? "; a long write of up to \(longWrite), in pieces of \(mtu - 5)" : ""
    return [
      "ATT_MTU \(mtu), with a peer that offers \(peerMTU) and a data length of \(dataLength)",
      "one notification            \(notification) bytes", "one write with response     \(write) bytes\(pieces)",
      "one write without response  \(writeWithoutResponse) bytes",
    ]
  }
}
