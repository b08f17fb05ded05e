import BleperaBlueZ
import BleperaBluetooth
import BleperaProfile
import BleperaRadio
import BleperaRules

/// Formats packets: one or two lines for each AD structure, with its length at the right edge.
struct PacketText {
  let terminal: Terminal
  let width: Int

  /// The column of the meaning; longer bytes have a line of their own.
  private var start: Int { width >= 86 ? 48 : 12 }

  func phone(_ state: StateExplanation) -> TextSection {
    let title = "iPhone, \(state.state.rawValue)"
    guard let phone = state.plan.phone else {
      let suppression = TextLayout.wrapped(state.suppression ?? "", to: width).map { terminal.styled($0, .yellow) }
      let own = state.plan.own.map { own in
        [TextLayout.spread("interval", "\(own.interval)", over: width)]
          + packet("the phone's own", own.advertisingData)
      }
      return TextSection(title: title, groups: [suppression] + (own.map { [$0] } ?? []))
    }
    let budgets = [
      sum("used by UUIDs and name", phone.budgetUsed, state.rules.foregroundBudget.value),
      sum("used by the name alone", phone.nameBudgetUsed, phone.nameBudget),
    ]
    return TextSection(
      title: title,
      groups: [
        [TextLayout.spread("interval", state.plan.interval.map { "\($0)" } ?? "", over: width)],
        packet("advertisement", phone.advertisingData), packet("scan response", phone.scanResponse), budgets,
      ])
  }

  func bluez(_ state: StateExplanation) -> TextSection {
    let advertisements = state.bluez
    let intervals = advertisements.first?.interval.map { "\($0)" }
    let packets = advertisements.enumerated().flatMap { index, advertisement in
      let number = advertisements.count > 1 ? " \(index + 1)" : ""
      return [
        packet("advertisement\(number)", advertisement.advertisingData),
        packet("scan response\(number)", advertisement.scanResponse),
      ]
    }
    let sender = state.daemon == nil ? "Controller" : state.isExact ? "BlueZ with --exact" : "BlueZ"
    return TextSection(
      title: "\(sender), \(state.state.rawValue)",
      groups: [intervals.map { [TextLayout.spread("interval", $0, over: width)] } ?? ["Nothing is advertised."]]
        + packets)
  }

  private func packet(_ title: String, _ data: AdvertisingData) -> [String] {
    let room = AdvertisingBudget.legacyMaximum
    let length = data.structures.isEmpty ? "empty" : "\(data.length) of \(room)"
    return [TextLayout.spread(terminal.styled(title, .cyan), length, over: width)]
      + data.structures.flatMap { structure($0) }
  }

  private func structure(_ structure: ADStructure) -> [String] {
    let text = ADStructureText(structure: structure)
    let length = "\(structure.length)"
    var meaning = [text.text]
    if start + text.text.count + 1 + length.count > width {
      meaning = [text.title] + TextLayout.list(text.items, to: width - start)
    }
    var bytes = self.bytes(text)
    if bytes.last.map({ TextLayout.width($0) >= start - 1 }) ?? true { bytes.append("") }
    let first = TextLayout.padded(bytes.removeLast(), to: start) + meaning[0]
    let line = first + TextLayout.spaces(width - TextLayout.width(first) - length.count) + length
    return bytes + [line] + meaning.dropFirst().map { TextLayout.spaces(start) + $0 }
  }

  /// Splits a payload that is too long for one line.
  private func bytes(_ text: ADStructureText) -> [String] {
    let indent = text.head.count + 1
    let body = TextLayout.chunks(text.body, of: (width - indent) / 2 * 2)
    let lines =
      body.isEmpty
      ? [text.head]
      : body.enumerated().map { index, part in
        (index == 0 ? "\(text.head) " : TextLayout.spaces(indent)) + part
      }
    return lines.map { terminal.styled($0, .green) }
  }

  private func sum(_ label: String, _ used: Int, _ budget: Int) -> String {
    terminal.styled(TextLayout.spread(label, "\(used) of \(budget)", over: width), .dim)
  }
}
