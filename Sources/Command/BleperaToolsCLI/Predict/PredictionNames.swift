import BleperaBluetooth
import BleperaCLI
import BleperaDiscovery

/// The names of the settings of a result: the title of a row, of a column or of a curve.
enum PredictionNames {
  private typealias Part = @Sendable (PredictionSubject) -> String?

  /// The parts that are in all names if two settings differ in one.
  private static let main: [Part] = [
    { $0.app?.profiles.joined(separator: " + ") },
    { $0.app?.state },
    { $0.app.map { "iOS \($0.ios)" } },
    { "\(AdvertisingInterval.text(Double($0.setting.interval) / 1000)) ms" },
    { scanner($0) },
    { Quote.counted($0.phones, "phone") },
    { "\(Quote.number(Double($0.loss) / 10_000)) % lost" },
    { "from \($0.setting.start.word)" },
    { "within \(Quote.number(Double($0.setting.within) / 1_000_000)) s" },
  ]

  /// The parts that are in a name if settings would have equal names without it.
  private static let others: [Part] = [
    { "match \($0.match.rawValue)" },
    { $0.setting.isActive ? "active" : "passive" },
    { $0.setting.hasBackoff ? "with backoff" : "without backoff" },
    { "\(milliseconds($0.setting.window))/\(milliseconds($0.setting.scanInterval))" },
    { "spacing \(milliseconds($0.setting.spacing)) ms" },
    { "data \($0.setting.data) bytes" },
    { "response \($0.setting.response) bytes" },
    { $0.interval.map { "interval of \($0.source)" } ?? "given interval" },
    { $0.scanner.map { "scanner of \($0.source)" } ?? "given scanner" },
    { "delay \(milliseconds($0.setting.delay)) ms" },
    { $0.app.map { "UUIDs \($0.overflowUUIDs.joined(separator: " "))" } },
  ]

  /// The names in the order of the settings: what differs between all of them, or else the scanner.
  static func names(of subjects: [PredictionSubject]) -> [String] {
    let parts = main.filter { part in Set(subjects.map(part)).count > 1 }
    var names = subjects.map { subject in
      let texts = parts.compactMap { $0(subject) }
      return texts.isEmpty ? [scanner(subject)] : texts
    }
    for part in others {
      for indices in Dictionary(grouping: subjects.indices, by: { names[$0] }).values {
        guard Set(indices.map { part(subjects[$0]) }).count > 1 else { continue }
        for index in indices { names[index] += [part(subjects[index])].compactMap(\.self) }
      }
    }
    return names.map { $0.joined(separator: ", ") }
  }

  private static func scanner(_ subject: PredictionSubject) -> String {
    subject.preset ?? "\(milliseconds(subject.setting.window))/\(milliseconds(subject.setting.scanInterval))"
  }

  private static func milliseconds(_ microseconds: Int) -> String { Quote.number(Double(microseconds) / 1000) }
}
