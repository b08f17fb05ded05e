import BleperaBluetooth
import BleperaCLI
import BleperaDiscovery

/// Formats predictions for people.
struct PredictionText {
  let terminal: Terminal

  private static let columns = ["mean", "p50", "p85", "p95", "p99", "not found"]
  /// The numbers of other apps' UUIDs whose chance is shown.
  private static let otherUUIDs = [5, 32, 89]
  /// The most traps of an interval that are shown.
  private static let shownTraps = 4

  private var width: Int { min(terminal.columns, 120) }

  func lines(_ report: PredictionReport) -> [String] {
    let parts = [
      head(report), report.isCompared ? compared(report) : table(report), notes(report), traps(report),
      overflow(report),
    ]
    return Array(parts.filter { !$0.isEmpty }.joined(separator: [""]))
  }

  // MARK: Head

  private func head(_ report: PredictionReport) -> [String] {
    guard let first = report.predictions.first else { return [] }
    let trials = unique(report.predictions.map { "\($0.counts.trials)" })
    let zero = first.setting.start == .arrival ? "the phone's arrival" : "the start of the scan"
    let loss =
      first.subject.loss == 0 ? "" : ", \(Self.percent(Double(first.subject.loss) / 1_000_000)) of packets lost"
    let title =
      "Seconds from \(zero) to the discovery, within \(Self.number(first.setting.within, 1_000_000)) s\(loss); "
      + "\(Quote.list(trials, "and")) trials, seed \(report.seed)"
    let intervals = unique(report.predictions.map(interval)).flatMap(wrapped)
    let scanners = unique(report.predictions.map(scanner)).flatMap(wrapped)
    return TextLayout.wrapped(title, to: width).map { terminal.styled($0, .bold) } + intervals + scanners
  }

  private func interval(_ prediction: Prediction) -> String {
    let (subject, setting) = (prediction.subject, prediction.setting)
    let time = AdvertisingInterval.text(Double(setting.interval) / 1000) + " ms"
    let packets = "packets of \(setting.data) and \(setting.response) bytes, found by the \(packet(setting))"
    guard let app = subject.app else { return "every \(time), \(packets)" }
    let basis = subject.interval.map { " (\($0.standing): \($0.source))" } ?? ""
    return "iOS \(app.ios), \(app.state): \(packets); every \(time)\(basis)"
  }

  private func packet(_ setting: DiscoverySetting) -> String {
    setting.match == .response ? "scan response" : "advertisement"
  }

  private func scanner(_ prediction: Prediction) -> String {
    let setting = prediction.setting
    let pauses = setting.pauses.map {
      ", for \(Self.number($0.scan, 1_000_000)) s, then "
        + ($0.pause == 0 ? "again" : "a pause of \(Self.number($0.pause, 1_000_000)) s")
    }
    let basis = prediction.subject.scanner.map { " (\($0.standing): \($0.source))" } ?? ""
    return "\(prediction.subject.preset ?? "scanner"): \(Self.number(setting.window, 1000)) ms of "
      + "\(Self.number(setting.scanInterval, 1000)) ms\(pauses ?? ""), \(setting.isActive ? "active" : "passive")\(basis)"
  }

  private func wrapped(_ text: String) -> [String] {
    TextLayout.wrapped(text, to: width - 4).enumerated().map { TextLayout.spaces($0 == 0 ? 2 : 4) + $1 }
  }

  private func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  // MARK: Table

  private func table(_ report: PredictionReport) -> [String] {
    rows(Self.columns, report.predictions.map { ($0.name, values($0)) })
  }

  /// Tables with as many settings side by side as fit.
  private func compared(_ report: PredictionReport) -> [String] {
    let longest = report.predictions.map { TextLayout.width($0.name) }.max() ?? 0
    let count = max(1, (width - 9) / (max(longest, 7) + 2))
    let tables = stride(from: 0, to: report.predictions.count, by: count).map { first in
      let predictions = report.predictions[first...].prefix(count)
      let values = predictions.map(values)
      let names = Self.columns.enumerated().map { index, name in (name, values.map { $0[index] }) }
      return rows(predictions.map(\.name), names)
    }
    return Array(tables.joined(separator: [""]))
  }

  /// Columns are aligned at the right.
  private func rows(_ titles: [String], _ rows: [(name: String, cells: [String])]) -> [String] {
    let nameWidth = rows.map { TextLayout.width($0.name) }.max() ?? 0
    let widths = titles.indices.map { column in
      ([titles[column]] + rows.map { $0.cells[column] }).map { TextLayout.width($0) }.max().map { max($0, 7) } ?? 7
    }
    func line(_ name: String, _ cells: [String]) -> String {
      zip(cells, widths).reduce(TextLayout.padded(name, to: nameWidth)) { line, cell in
        line + TextLayout.spaces(2 + cell.1 - TextLayout.width(cell.0)) + cell.0
      }
    }
    return [terminal.styled(line("", titles), .dim)] + rows.map(line)
  }

  /// The values of `columns`.
  private func values(_ prediction: Prediction) -> [String] {
    let counts = prediction.counts
    guard counts.trials > 0 else { return Self.columns.map { _ in "-" } }
    let late = "> \(Self.number(prediction.setting.within, 1_000_000))"
    return [counts.mean.map(Self.seconds) ?? "-"]
      + counts.percentiles(PredictionReport.percents).map { $0.map(Self.seconds) ?? late }
      + [Self.percent(counts.shareNotFound ?? 0)]
  }

  // MARK: Below the table

  private func notes(_ report: PredictionReport) -> [String] {
    let texts = report.predictions.flatMap { prediction -> [String] in
      let (subject, setting) = (prediction.subject, prediction.setting)
      var texts: [String] = []
      if setting.match == .response, !setting.isActive {
        texts.append(
          "\(subject.preset ?? "The scanner") is passive and never receives a scan response, which alone has what it "
            + "looks for; '--active' requests scan responses.")
      }
      if subject.isOnAir { texts.append("\(subject.phones) phones on the virtual air, each of which is a trial.") }
      if subject.phones > 1, !subject.isOnAir {
        let lost = Collisions.loss(
          phones: subject.phones, length: AirTime.advertisement(setting.data), interval: setting.interval,
          delay: setting.delay)
        texts.append("With \(subject.phones) phones \(Self.percent(lost)) of the packets collide, by the formula.")
      }
      return texts
    }
    return unique(texts).flatMap(wrapped)
  }

  private func traps(_ report: PredictionReport) -> [String] {
    let found = report.predictions.filter { $0.setting.match == .advertisement || $0.setting.isActive }
    let texts = found.flatMap { prediction in
      let traps = IntervalTraps(near: prediction.setting, seed: report.seed)
      let interval = Self.number(prediction.setting.interval, 1000)
      let better = traps.better.map {
        "\(prediction.name): \(interval) ms is a trap, with a mean of \(Self.seconds(traps.mean)) s; "
          + "\(Self.range($0)) ms has \(Self.seconds($0.mean)) s."
      }
      let shown = traps.traps.sorted { $0.mean > $1.mean }.prefix(Self.shownTraps)
        .map { "\(Self.range($0)) ms (up to \(Self.seconds($0.mean)) s)" }
      let near = shown.isEmpty ? nil : "\(prediction.name): \(shown.joined(separator: ", "))"
      return [better, near].compactMap(\.self)
    }
    guard !found.isEmpty else { return [] }
    let title = "Interval traps within 5 % of the interval"
    return texts.isEmpty ? ["\(title): none"] : ["\(title), by their means:"] + unique(texts).flatMap(wrapped)
  }

  private func overflow(_ report: PredictionReport) -> [String] {
    unique(report.predictions.flatMap { overflow($0.subject.app?.overflowUUIDs ?? []) })
  }

  private func overflow(_ uuids: [String]) -> [String] {
    guard !uuids.isEmpty else { return [] }
    let others = Self.otherUUIDs.map { "\($0) (\(Self.percent(OverflowChance.isSet(byOthers: $0))))" }
    let set = "Overflow area: a bit may be set by other apps' UUIDs alone: with \(Quote.list(others, "and")) of them."
    guard uuids.count > 1 else { return TextLayout.wrapped(set, to: width) }
    let bits = Set(uuids.compactMap { BluetoothUUID($0) }.map(OverflowArea.bit))
    let shared =
      "The \(uuids.count) UUIDs of the apps have \(Quote.counted(bits.count, "bit")); two of so many share a bit with a chance of "
      + "\(Self.percent(OverflowChance.isShared(among: uuids.count)))."
    return TextLayout.wrapped("\(set) \(shared)", to: width)
  }

  // MARK: Numbers

  private static func range(_ trap: IntervalTraps.Trap) -> String {
    let (first, last) = (number(trap.intervals.lowerBound, 1000), number(trap.intervals.upperBound, 1000))
    return first == last ? first : "\(first) to \(last)"
  }

  private static func number(_ value: Int, _ unit: Int) -> String { Quote.number(Double(value) / Double(unit)) }

  /// Three decimals below one second, two below 100, otherwise one.
  static func seconds(_ value: Double) -> String { fixed(value, decimals: value < 1 ? 3 : value < 100 ? 2 : 1) }

  static func percent(_ share: Double) -> String {
    share == 0 || share == 1 ? "\(Int(share * 100)) %" : "\(fixed(share * 100, decimals: share < 0.1 ? 2 : 1)) %"
  }

  private static func fixed(_ value: Double, decimals: Int) -> String {
    let unit = (0..<decimals).reduce(1) { unit, _ in unit * 10 }
    let whole = Int((value * Double(unit)).rounded())
    let digits = "\(whole % unit)"
    return "\(whole / unit).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
  }
}
