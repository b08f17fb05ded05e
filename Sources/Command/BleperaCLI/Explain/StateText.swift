import BleperaBluetooth
import BleperaProfile
import BleperaRules
import BleperaSessions

/// Formats the overflow area, the centrals and the responses of a state.
struct StateText {
  let terminal: Terminal
  let state: StateExplanation
  let width: Int

  /// The bits with their UUIDs, the mask and its grid.
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
      "\(terminal.styled("collision:", .yellow)) bit \(bit.bit) is shared by \(bit.uuids.joined(separator: ", "))"
    }
    return TextSection(
      title: title,
      groups: [
        rows + collisions + ambiguity, ["", text.hex("mask", area.bytes), ""] + text.grid(area, marked: marked),
      ])
  }

  /// A note that a bit does not identify a UUID.
  private var ambiguity: [String] {
    guard let bit = state.bits.first?.bit, let own = state.bits.first?.uuids,
      let other = [OverflowArea.shortUUID(forBit: bit), OverflowArea.uuid(forBit: bit)].compactMap({ $0 })
        .first(where: { !own.contains("\($0)") })
    else { return [] }
    return [
      "",
      terminal.styled(
        "An iOS scan for another UUID of a bit, such as \(other) for \(bit), matches too.", .dim),
    ]
  }

  /// The section about the discoveries of each kind of central in an active scan.
  var centrals: TextSection {
    let title = "Discovered by centrals, \(state.state.rawValue)"
    guard let phone = state.plan.phone else { return TextSection(title: title, groups: [["Nothing."]]) }
    var groups = state.centrals.filter { $0.kind != .android16 }
      .map { [terminal.styled(heading($0.kind), .cyan)] + rows($0) }
    let hidden = phone.scanResponse.structures.map { ADStructureText(structure: $0).title }
    if !hidden.isEmpty {
      let note = "In an iPhone's scan response, received by active scans only: \(hidden.joined(separator: ", "))."
      groups.append(TextLayout.wrapped(note, to: width).map { terminal.styled($0, .dim) })
    }
    return TextSection(title: title, groups: groups)
  }

  private func heading(_ kind: CentralKind) -> String {
    switch kind {
    case .iosWithServices: "iOS, scanning for \(wanted)"
    case .ios: "iOS, scanning for any device"
    case .android, .android16: "Android"
    case .bluez: "BlueZ"
    }
  }

  /// The requested services, short enough for a column.
  private var wanted: String {
    let requested = StateExplanation.requestedServices(state.apps)
    guard requested.count == 1, let uuid = requested.first else { return "these \(requested.count) UUIDs" }
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
    let joined = view.kind == .android ? state.centrals.first { $0.kind == .android16 }?.manufacturerData ?? [] : data
    return row("name", view.name.map { [Quote.text($0)] } ?? []) + row("UUIDs", view.serviceUUIDs.map { "\($0)" })
      + (overflow.isEmpty ? [] : row("by bit", overflow.map { "\($0)" }))
      + (data.isEmpty ? [] : row(joined == data ? "data" : "to 15", data.map { "\($0.company) \($0.data)" }))
      + (joined == data ? [] : row("16 on", joined.flatMap(lines)))
  }

  /// Manufacturer data in lines of a column's width.
  private func lines(_ data: CentralView.ManufacturerData) -> [String] {
    let digits = 34
    let starts = stride(from: 0, to: data.data.count, by: digits)
    return starts.map { start in
      TextLayout.padded(start == 0 ? data.company : "", to: 5) + data.data.dropFirst(start).prefix(digits)
    }
  }
}

extension StateText {
  var responses: TextSection {
    let groups = state.responses.flatMap { app in
      let name = state.apps.count > 1 ? [terminal.styled(app.app, .cyan)] : []
      return [
        name + row("the app", life(app)) + rows(app.responses),
        app.laterResponses.map { row("then", "is suspended") + rows($0) } ?? [],
      ]
    }
    return TextSection(title: "Responses, \(state.state.rawValue)", groups: groups)
  }

  func row(_ label: String, _ text: String) -> [String] {
    let start = 15
    return TextLayout.wrapped(text, to: width - start).enumerated().map { index, line in
      TextLayout.padded(index == 0 ? label : "", to: start) + line
    }
  }

  private func rows(_ responses: [CentralResponse]) -> [String] {
    responses.flatMap { row(label($0.request), text($0)) }
  }

  private func life(_ app: AppResponses) -> String {
    guard app.isRunning else { return "is suspended" }
    return app.timeLeft.map { "runs for \(Self.seconds($0)) more" } ?? "runs"
  }

  private func label(_ request: CentralRequest) -> String {
    switch request {
    case .readCached: "cached values"
    case .read: "reads"
    case .write: "writes"
    case .subscribe: "subscriptions"
    }
  }

  private func text(_ response: CentralResponse) -> String {
    let text =
      switch response.outcome {
      case .app: "the app"
      case .woken(let time): "the app, woken for \(Self.seconds(time))"
      case .system: "the phone"
      case .error(let error): "refused: \(error)"
      case .queued: "queued until the foreground"
      }
    let parts = [text, delay(response), pairing(response.pairing)].compactMap { $0 }
    return parts.joined(separator: ", ") + (response.rule.map { " (\($0))" } ?? "")
  }

  private func delay(_ response: CentralResponse) -> String? {
    response.delay.map { delay in
      guard delay < Self.transactionTimeout else {
        return "too late: the central disconnects after \(Self.seconds(Self.transactionTimeout))"
      }
      return "after \(Self.seconds(delay))"
    }
  }

  private func pairing(_ need: PairingNeed) -> String? {
    switch need {
    case .none: nil
    case .some: "some after pairing"
    case .all: "after pairing"
    }
  }

  /// The time that a central waits for a response (Core Specification, Vol 3, Part F, 3.3.3).
  private static let transactionTimeout = Duration.seconds(30)

  static func seconds(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    return Int(exactly: seconds).map { "\($0) s" } ?? "\(seconds) s"
  }
}
