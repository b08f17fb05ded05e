import GATT
import Policy
import Profile

/// What else there is to say of one state.
struct StateText {
  let terminal: Terminal
  let state: StateExplanation
  let width: Int

  /// Bits and UUIDs, the mask, its grid.
  var overflow: TextSection {
    let title = "Overflow area, \(state.state.rawValue)"
    guard !state.bits.isEmpty else { return TextSection(title: title, groups: []) }
    let text = OverflowText(terminal: terminal)
    let area = state.plan.overflowArea
    let marked = Set(state.bits.filter(\.isCollision).map(\.bit))
    let rows = state.bits.flatMap { bit in
      bit.uuids.map { uuid in
        let apps = state.apps.count > 1 ? "  \(bit.apps.joined(separator: ", "))" : ""
        return text.bit(bit.bit, isSet: true, isMarked: bit.isCollision) + "  \(uuid)\(terminal.styled(apps, .dim))"
      }
    }
    let collisions = state.bits.filter(\.isCollision).map { bit in
      "\(terminal.styled("collision:", .yellow)) bit \(bit.bit) stands for \(bit.uuids.joined(separator: ", "))"
    }
    return TextSection(
      title: title,
      groups: [rows + collisions + stranger, ["", text.hex("mask", area.bytes), ""] + text.grid(area, marked: marked)])
  }

  /// Who else is found by the same bits.
  private var stranger: [String] {
    guard let bit = state.bits.first?.bit, let own = state.bits.first?.uuids,
      let other = [OverflowArea.shortUUID(forBit: bit), OverflowArea.uuid(forBit: bit)].compactMap({ $0 })
        .first(where: { !own.contains("\($0)") })
    else { return [] }
    return ["", terminal.styled("An iOS scan for another UUID of a bit, as \(other) of \(bit), finds it too.", .dim)]
  }

  /// What each kind of central sees, an active scan assumed.
  var centrals: TextSection {
    let title = "Seen by a central, \(state.state.rawValue)"
    guard let phone = state.plan.phone else { return TextSection(title: title, groups: [["Nothing."]]) }
    var groups = state.centrals.map { [terminal.styled(heading($0.kind), .cyan)] + rows($0) }
    let hidden = phone.scanResponse.structures.map { ADStructureText(structure: $0).title }
    if !hidden.isEmpty {
      let note = "In an iPhone's scan response, which only an active scan hears: \(hidden.joined(separator: ", "))."
      groups.append(TextLayout.wrapped(note, to: width).map { terminal.styled($0, .dim) })
    }
    return TextSection(title: title, groups: groups)
  }

  private func heading(_ kind: CentralKind) -> String {
    switch kind {
    case .iosAsking: "iOS, scanning for \(wanted)"
    case .ios: "iOS, scanning for no UUID"
    case .android: "Android"
    case .bluez: "BlueZ"
    }
  }

  /// Short enough for a column.
  private var wanted: String {
    let asked = StateExplanation.asked(state.apps)
    guard asked.count == 1, let uuid = asked.first else { return "these \(asked.count) UUIDs" }
    return uuid.width == .bits128 ? "its UUID" : "\(uuid)"
  }

  private func rows(_ view: CentralView) -> [String] {
    func row(_ label: String, _ values: [String]) -> [String] {
      (values.isEmpty ? [terminal.styled("none", .dim)] : values).enumerated().map { index, value in
        "  " + TextLayout.padded(index == 0 ? label : "", to: 7) + value
      }
    }
    let overflow = view.overflowServiceUUIDs ?? []
    let data = view.manufacturerData ?? []
    return row("name", view.name.map { [Quote.text($0)] } ?? []) + row("UUIDs", view.serviceUUIDs.map { "\($0)" })
      + (overflow.isEmpty ? [] : row("by bit", overflow.map { "\($0)" }))
      + (data.isEmpty ? [] : row("data", data.map { "\($0.company) \($0.data)" }))
  }
}
