import BleperaDiscovery

extension PredictionShard {
  typealias Merged = (subject: PredictionSubject, seed: UInt64, trials: Int, counts: DiscoveryCounts)

  /// The predictions of a run in the order of its settings, which does not depend on the order of the shards.
  ///
  /// Shards of several runs can be merged if their settings differ; of settings with the same row, the one that comes
  /// first is first.
  static func merge(_ shards: [(shard: PredictionShard, place: String)]) throws(Fault) -> [Merged] {
    var settings: [MergedSetting] = []
    for (shard, place) in shards {
      let known = settings.firstIndex { $0.first.row == shard.row && $0.first.subject == shard.subject }
      if known == nil { settings.append(MergedSetting(first: shard)) }
      try settings[known ?? settings.count - 1].add(shard, place, seed: shards[0].shard.seed)
    }
    let missing = settings.map(\.missing)
    guard missing.allSatisfy(\.isEmpty) else {
      // A file that is missing has shards of all settings.
      let isEqual = missing.allSatisfy { $0 == missing[0] }
      let all = zip(missing, settings).filter { !$0.0.isEmpty }.map { "\($0) of '\($1.first.subject.name)'" }
      let text = isEqual ? missing[0] : all.joined(separator: ", ")
      throw Fault(reason: "missing \(text); run what is missing with the options of the other shards")
    }
    return settings.enumerated().sorted { ($0.element.first.row, $0.offset) < ($1.element.first.row, $1.offset) }
      .map { ($0.element.first.subject, $0.element.first.seed, $0.element.first.trials, $0.element.counts) }
  }
}

private struct MergedSetting {
  let first: PredictionShard
  /// The file and the line of each shard, by its number.
  private var places: [Int: String] = [:]
  private(set) var counts = DiscoveryCounts()

  init(first: PredictionShard) { self.first = first }

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
