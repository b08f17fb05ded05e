import BleperaAppLink
import BleperaDiscovery

extension PredictionShard {
  typealias Merged = (subject: PredictionSubject, seed: UInt64, trials: Int, counts: DiscoveryCounts)

  /// The predictions in the order of their runs and rows, and of the texts of settings that have the same run and row.
  /// The order does not depend on that of the shards.
  static func merge(_ shards: [(shard: PredictionShard, place: String)]) throws(Fault) -> [Merged] {
    var settings: [MergedSetting] = []
    for (shard, place) in shards {
      let known = settings.firstIndex { $0.isSetting(of: shard) }
      if known == nil { settings.append(MergedSetting(first: shard)) }
      try settings[known ?? settings.count - 1].add(shard, place, seed: shards[0].shard.seed)
    }
    settings = settings.map { (place: $0.place, text: JSONLine.text($0.first.subject), setting: $0) }
      .sorted { ($0.place.run, $0.place.row, $0.text) < ($1.place.run, $1.place.row, $1.text) }.map(\.setting)
    try refuseMissing(settings)
    return settings.map { ($0.first.subject, $0.first.seed, $0.first.trials, $0.counts) }
  }

  private static func refuseMissing(_ settings: [MergedSetting]) throws(Fault) {
    let missing = settings.map(\.missing)
    guard missing.allSatisfy(\.isEmpty) else {
      // A file that is missing has shards of all settings.
      let isEqual = missing.allSatisfy { $0 == missing[0] }
      let names = PredictionNames.names(of: settings.map(\.first.subject))
      let all = zip(missing, names).filter { !$0.0.isEmpty }.map { "\($0) of '\($1)'" }
      let text = isEqual ? missing[0] : all.joined(separator: ", ")
      throw Fault(reason: "missing \(text); run what is missing with the options of the other shards")
    }
    // Without '--run' several commands have the same number, and each has all of its rows.
    for run in Dictionary(grouping: settings, by: { [$0.first.run, $0.first.rows] }).values {
      let counts = Dictionary(grouping: run, by: \.first.row).mapValues(\.count)
      let (rows, commands) = (run[0].first.rows, counts.values.max() ?? 0)
      guard let row = (1...rows).first(where: { counts[$0] != commands }) else { continue }
      throw Fault(reason: "missing the lines of setting \(row) of \(rows); run the shards again")
    }
  }
}

private struct MergedSetting {
  let first: PredictionShard
  /// The file and the line of each shard, by its number.
  private var places: [Int: String] = [:]
  private(set) var counts = DiscoveryCounts()

  init(first: PredictionShard) { self.first = first }

  var place: (run: Int, row: Int, rows: Int) { (first.run, first.row, first.rows) }

  func isSetting(of shard: PredictionShard) -> Bool {
    place == (shard.run, shard.row, shard.rows) && first.subject == shard.subject
  }

  mutating func add(_ shard: PredictionShard, _ place: String, seed: UInt64) throws(PredictionShard.Fault) {
    let pairs = [
      ("seed", "\(seed)", "\(shard.seed)"), ("number of trials", "\(first.trials)", "\(shard.trials)"),
      ("number of shards", "\(first.shard.count)", "\(shard.shard.count)"),
    ]
    for (name, expected, found) in pairs where expected != found {
      throw .init(place: place, reason: "the \(name) is \(found), that of shards before is \(expected); merge one run")
    }
    if let other = places.updateValue(place, forKey: shard.shard.number) {
      throw .init(place: place, reason: "shard \(shard.shard) is at \(other), too; leave one of them out")
    }
    counts += shard.counts
  }

  /// The shards that are not there, such as `shards 3, 5 to 7 of 16`; empty if all are there.
  var missing: String {
    let (found, count) = (places.keys.sorted(), first.shard.count)
    let gaps = zip([0] + found, found + [count + 1]).filter { $1 - $0 > 1 }
    guard !gaps.isEmpty else { return "" }
    let texts = gaps.map { $1 - $0 == 2 ? "\($0 + 1)" : "\($0 + 1) to \($1 - 1)" }
    return "shards \(texts.joined(separator: ", ")) of \(count)"
  }
}
