import BleperaBluetooth
import BleperaRules

/// The scans in a phone's log, and how long each was in force.
struct LoggedScanning: Sendable {
  struct Row: Hashable, Sendable {
    let order: ScanOrder
    /// Whether the phone sleeps; nil if the log has no notes of sleep.
    let isAsleep: Bool?
    /// The app's state; nil if no scene is known.
    let app: AppScene?
  }

  /// The time of each row, in milliseconds.
  private(set) var rows = Tally<Row>()
  /// The times in which each order was in force without a break, in nanoseconds.
  private var stretches: [ScanOrder: [Range<Int64>]] = [:]
  private var commands = ScanCommands()
  private var orders = Tally<ScanOrder>()
  private var last: Int64?
  private var stretch: (order: ScanOrder, start: Int64, end: Int64)?

  static func isCommand(_ opcode: HCIOpcode) -> Bool { [.appleScan, .appleScanEnable, .broadcomScan].contains(opcode) }

  mutating func beginCapture() { (commands, last) = (ScanCommands(), nil) }

  mutating func handle(_ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>) {
    if commands.handle(opcode, parameters), let order = commands.order { orders.add(order) }
  }

  mutating func advance(to time: Int64, isAsleep: Bool?, _ app: AppScene?) {
    defer { last = time }
    guard let last, time > last, time - last <= Self.longestStep else { return }
    let elapsed = Int((time - last) / 1_000_000)
    guard let order = commands.order else { return }
    rows.add(Row(order: order, isAsleep: isAsleep, app: app), elapsed)
    // The clock of a log may be set back.
    if let stretch, stretch.order == order, (0..<Self.pause).contains(last - stretch.end) {
      self.stretch?.end = time
    } else {
      endStretch()
      stretch = (order, last, time)
    }
  }

  private mutating func endStretch() {
    if let stretch { stretches[stretch.order, default: []].append(stretch.start..<stretch.end) }
    stretch = nil
  }

  /// The longest step between two entries, in nanoseconds: in a longer one, the clock was set. A day. Ours.
  private static let longestStep: Int64 = 86_400_000_000_000
  /// The longest break while the same scan is ordered again, in nanoseconds.
  private static let pause: Int64 = 500_000_000

  /// Each scan with the state of the phone and the time in it.
  var observations: [Observation] {
    var whole = self
    whole.endStretch()
    return rows.counts.filter { $0.value >= Self.shortest }.sorted {
      ($1.value, $0.key.order.text) < ($0.value, $1.key.order.text)
    }.map { row, time in
      let stretches = whole.stretches[row.order] ?? []
      let periods = zip(stretches, stretches.dropFirst()).map { $1.lowerBound - $0.lowerBound }.sorted()
      let state = [row.isAsleep.map { $0 ? "asleep" : "awake" }, row.app?.rawValue].compactMap { $0 }
      var text = "\(row.order.text), \(Self.seconds(time)) in all"
      if let length = stretches.map(\.count).sorted().dropFirst(stretches.count / 2).first {
        text += ", \(Self.seconds(length / 1_000_000)) each"
      }
      // Periods that differ by less than half come from a timer.
      if periods.count >= Self.fewestPeriods, let first = periods.first, let last = periods.last,
        last - first < first / 2
      {
        text += ", every \(Self.seconds(Int(first / 1_000_000))) to \(Self.seconds(Int(last / 1_000_000)))"
      }
      return Observation((["scan"] + state).joined(separator: ", "), text, stretches.count)
    }
  }

  /// The shortest scan that is reported, in milliseconds.
  private static let shortest = 100
  private static let fewestPeriods = 3

  /// Formats seconds with one decimal.
  private static func seconds(_ milliseconds: Int) -> String {
    "\(RuleContent.text((Double(milliseconds) / 100).rounded() / 10)) s"
  }

  var measurements: [Measurement] {
    var found: [Measurement] = []
    func add(_ name: String, _ order: ScanOrder, time: Int? = nil) {
      let (interval, window) = (Double(order.main.interval) * 0.625, Double(order.main.window) * 0.625)
      found.append(
        Measurement(
          name,
          .fields(
            [.init("interval", .milliseconds(interval)), .init("window", .milliseconds(window))]
              + (time.map { [.init("time", .milliseconds(Double($0)))] } ?? [])),
          fieldErrors: ["time": Double(Self.timeError)], packets: orders.counts[order] ?? 1))
    }
    let asleep = rows.most { $0.isAsleep == true }
    if let asleep { add("sleepScan", asleep.value.order) }
    if let active = rows.most(where: { $0.order.isActive && $0.app != .behind }) {
      add("foregroundScan", active.value.order)
    }
    // Notes of sleep may be missing, so the scan of a sleeping phone is excluded by its order too.
    let awake = rows.most { row in
      !row.order.isActive && row.isAsleep != true && row.app != .front && row.order.second != nil
        && row.order != asleep?.value.order
    }
    if let awake { add("backgroundScan", awake.value.order) }
    // Only active scans count here, because a passive one may be the system's own.
    if let active = rows.most(where: { $0.order.isActive && $0.app == .behind }) {
      found.append(
        Measurement(
          "backgroundScanResponses", .word(ScanResponses.screenOn.rawValue),
          packets: orders.counts[active.value.order] ?? 1))
    }
    // The boost is the longest passive scan of the main core alone, with a gap between its windows.
    let boost = rows.most { row in
      !row.order.isActive && row.isAsleep != true && row.order.second == nil
        && row.order.main.window < row.order.main.interval && row.order.main != awake?.value.order.main
    }
    if let boost {
      // Boosts get longer if they are renewed, and end early for another scan; most of the others last equally long.
      var times = Tally<Int>()
      for time in (stretches[boost.value.order] ?? []).map({ $0.count / 1_000_000 }) where time >= Self.briefest {
        times.add((time + Self.timeError / 2) / Self.timeError)
      }
      let time = times.most.flatMap { $0.count >= Self.fewestBoosts ? $0.value * Self.timeError : nil }
      add("litScan", boost.value.order, time: time)
    }
    return found
  }

  /// The error of the time that a boost lasts, in milliseconds.
  private static let timeError = 500
  /// The fewest boosts of the same length that show the time.
  private static let fewestBoosts = 3
  /// The shortest time of a boost that no other scan has cut short, in milliseconds.
  private static let briefest = 1000
}
