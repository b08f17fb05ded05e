import BleperaAppLink
import BleperaCLI
import BleperaDiscovery

/// The counts of a part of the trials of one setting, which a line of JSON carries to `predict --merge`.
struct PredictionShard: Hashable {
  let subject: PredictionSubject
  /// The place of the command in a sweep of several commands, from 1.
  let run: Int
  /// The place of the setting among those of the command, from 1.
  let row: Int
  /// The number of settings of the command.
  let rows: Int
  let seed: UInt64
  /// The trials of all shards.
  let trials: Int
  let shard: ShardNumber
  let counts: DiscoveryCounts

  /// Why shards cannot be read or merged.
  struct Fault: Error, Hashable, CustomStringConvertible {
    /// The file and the line; nil for shards that are missing.
    var place: String?
    /// Without a period.
    let reason: String

    var description: String { (place.map { "\($0): " } ?? "") + "error: \(reason)" }
  }

  /// Without a line feed.
  var line: String { JSONLine.text(self) }
}

extension PredictionShard {
  /// The shards of a file, each with its file and line.
  static func read(_ bytes: [UInt8], file: String) throws(Fault) -> [(shard: PredictionShard, place: String)] {
    var rows = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if rows.last?.isEmpty == true { rows.removeLast() }
    guard !rows.isEmpty else { throw Fault(place: file, reason: "the file is empty; run its shard again") }
    return try rows.enumerated().map { index, row throws(Fault) in
      let place = "\(file):\(index + 1)"
      do throws(Fault) { return (try PredictionShard(line: Array(row)), place) } catch {
        throw Fault(place: place, reason: error.reason)
      }
    }
  }

  init(line: [UInt8]) throws(Fault) {
    let (version, shard): (String, Self?)
    do throws(JSONLine.Fault) {
      version = try JSONLine.decode(Version.self, line).version
      shard = version == Release.version ? try JSONLine.decode(Self.self, line) : nil
    } catch { throw Fault(reason: "not a line of 'blepera predict --shard': \(error.reason)") }
    guard let shard else {
      throw Fault(reason: "the shard is of blepera \(version), and this is blepera \(Release.version); use one version")
    }
    self = shard
    // The last limit is that of the sum of the times.
    guard subject.isValid, self.shard.count <= trials, trials <= .max / (subject.setting.within + 1000) else {
      throw Fault(reason: "the setting or the number of trials is not one of 'blepera predict'; run the shard again")
    }
    guard run >= 1, row >= 1, row <= rows else {
      throw Fault(reason: "row \(row) of \(rows) in run \(run) is not one of 'blepera predict'; run the shard again")
    }
    let isInTime = counts.times.keys.allSatisfy { $0 <= subject.setting.within / 1000 }
    guard counts.trials == self.shard.part(of: trials).count, isInTime else {
      throw Fault(reason: "the counts are not those of shard \(self.shard) of \(trials) trials; run the shard again")
    }
  }

  private struct Version: Decodable {
    let version: String
  }
}

extension PredictionShard: JSONObject {
  static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let times = value?.counts.times.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
    let pairs = try visitor.field("counts", times)
    let found = try visitor.field("found", value?.counts.found)
    let notFound = try visitor.field("notFound", value?.counts.notFound)
    let row = try visitor.field("row", value?.row)
    let rows = try visitor.field("rows", value?.rows)
    let run = try visitor.field("run", value?.run)
    let seed = try visitor.field("seed", value?.seed)
    let shard = try visitor.field("shard", value?.shard)
    let subject = try visitor.field("subject", value?.subject)
    let sum = try visitor.field("sum", value?.counts.sum)
    let trials = try visitor.field("trials", value?.trials)
    _ = try visitor.field("version", value.map { _ in Release.version })
    let isPaired = pairs.allSatisfy { $0.count == 2 }
    let counts =
      isPaired
      ? DiscoveryCounts(times: pairs.map { (milliseconds: $0[0], count: $0[1]) }, notFound: notFound, sum: sum) : nil
    // Counts that contradict one another are read as those of no trial, which no shard has.
    return PredictionShard(
      subject: subject, run: run, row: row, rows: rows, seed: seed, trials: trials, shard: shard,
      counts: counts.flatMap { $0.found == found ? $0 : nil } ?? DiscoveryCounts())
  }
}

extension PredictionSubject: JSONCoded {
  /// Whether the numbers are in the limits of a computation.
  fileprivate var isValid: Bool {
    let pauses = setting.pauses ?? DiscoverySetting.Pauses(scan: 1, pause: 0)
    let positive = [setting.interval, setting.scanInterval, setting.window, setting.within, pauses.scan, phones]
    let others = [setting.delay, setting.spacing, setting.data, setting.response, pauses.pause]
    return positive.allSatisfy { (1...1_000_000_000_000).contains($0) }
      && others.allSatisfy { (0...1_000_000_000_000).contains($0) } && setting.window <= setting.scanInterval
      && [setting.loss, loss].allSatisfy { (0...1_000_000).contains($0) }
  }
}
