import BleperaDiscovery
import Testing

@testable import BleperaCLI
@testable import BleperaToolsCLI

@Suite struct PredictionShardTests {
  typealias Placed = (shard: PredictionShard, place: String)

  /// A setting whose trials end so early that some phones are not found.
  private static func subject(_ preset: String? = nil, window: Int = 30_000) -> PredictionSubject {
    var setting = DiscoverySetting(interval: 1_022_500, scanInterval: 320_000, window: window)
    setting.within = 8_000_000
    return PredictionSubject(setting: setting, match: .advertisement, preset: preset)
  }

  private static func shard(
    _ number: String, of subject: PredictionSubject = subject(), run: Int = 1, row: Int = 1, rows: Int = 1,
    seed: UInt64 = 1, trials: Int = 400
  ) throws -> PredictionShard {
    let shard = try #require(ShardNumber(rawValue: number))
    let counts = DiscoveryModel(subject.setting, seed: seed).counts(of: shard.part(of: trials))
    return PredictionShard(
      subject: subject, run: run, row: row, rows: rows, seed: seed, trials: trials, shard: shard, counts: counts)
  }

  /// The lines of a run of two settings in that many shards, as files.
  private static func files(_ count: Int, trials: Int = 400) throws -> [(name: String, text: String)] {
    let subjects = [subject("wide", window: 300_000), subject("narrow")]
    return try (1...count).map { number in
      let lines = try subjects.enumerated().map { index, subject in
        try shard("\(number)/\(count)", of: subject, row: index + 1, rows: 2, trials: trials).line
      }
      return ("\(number).jsonl", lines.joined(separator: "\n") + "\n")
    }
  }

  /// The lines of the merged run as one shard, which have all that is printed.
  private static func merged(_ files: [(name: String, text: String)]) throws -> [String] {
    let shards = try files.flatMap { try PredictionShard.read(Array($0.text.utf8), file: $0.name) }
    return try merged(shards)
  }

  private static func merged(_ shards: [Placed]) throws -> [String] {
    let merged = try PredictionShard.merge(shards)
    return merged.enumerated().map { index, one in
      PredictionShard(
        subject: one.subject, run: 1, row: index + 1, rows: merged.count, seed: one.seed, trials: one.trials,
        shard: .whole, counts: one.counts
      ).line
    }
  }

  @Test(arguments: [1, 2, 3, 16, 400])
  func `shards of any number merge to the bytes of one run`(count: Int) throws {
    let whole = try Self.files(1)[0].text.split(separator: "\n").map(String.init)
    #expect(try Self.merged(Self.files(count)) == whole)
  }

  @Test func `the order of files and of lines does not change the merged run`() throws {
    let files = try Self.files(5)
    let shards = try files.flatMap { try PredictionShard.read(Array($0.text.utf8), file: $0.name) }
    let expected = try Self.merged(shards)
    #expect(try Self.merged(files.reversed()) == expected)
    #expect(try Self.merged(shards.reversed()) == expected)
    #expect(try Self.merged(shards.sorted { $0.shard.counts.sum < $1.shard.counts.sum }) == expected)
  }

  @Test(
    arguments: [
      // The run, the rows of the command, and its presets.
      ([(2, ["a"]), (1, ["c", "b"])], ["c", "b", "a"]), ([(1, ["b"]), (1, ["a"])], ["a", "b"]),
      ([(1, ["d", "a"]), (1, ["c", "b"]), (2, ["e", "a"])], ["c", "d", "a", "b", "e", "a"]),
      ([(1, ["b", "a"]), (1, ["c"])], ["b", "c", "a"]),
    ] as [([(run: Int, presets: [String])], [String])])
  func `settings of several commands are in the order of their runs and rows, then of their texts`(
    commands: [(run: Int, presets: [String])], expected: [String]
  ) throws {
    let shards: [Placed] = try commands.flatMap { run, presets in
      try ["1/2", "2/2"].flatMap { number in
        try presets.enumerated().map { index, preset in
          let subject = Self.subject(preset)
          return (
            try Self.shard(number, of: subject, run: run, row: index + 1, rows: presets.count, trials: 4), "a:1"
          )
        }
      }
    }
    #expect(try PredictionShard.merge(shards).map(\.subject.preset) == expected)
    #expect(try PredictionShard.merge(shards.reversed()).map(\.subject.preset) == expected)
  }

  @Test(arguments: [([1, 2], 3), ([1, 1, 2], 2), ([2, 3], 1), ([1, 3], 2)])
  func `a merge names a setting whose lines are all missing`(rows: [Int], missing: Int) throws {
    let count = rows.count == 3 ? 2 : 3
    let shards: [Placed] = try rows.enumerated().map { index, row in
      (try Self.shard("1/1", of: Self.subject("\(index)"), row: row, rows: count, trials: 4), "a:\(index + 1)")
    }
    let error = #expect(throws: PredictionShard.Fault.self) { try PredictionShard.merge(shards) }
    #expect(error?.reason == "missing the lines of setting \(missing) of \(count); run the shards again")
  }

  @Test(arguments: [(1, 1), (20_000, 16), (7, 7), (1_000_003, 999), (Int.max, 3), (Int.max, Int.max)])
  func `the parts of shards follow one another`(trials: Int, count: Int) throws {
    let numbers = [1, 2, count / 2, count - 1, count].filter { (1...count).contains($0) }
    for number in numbers {
      let part = try #require(ShardNumber(rawValue: "\(number)/\(count)")).part(of: trials)
      #expect(part.count >= trials / count && part.count - trials / count <= 1)
      let next = ShardNumber(rawValue: "\(number + (number < count ? 1 : 0))/\(count)")?.part(of: trials)
      #expect(number < count ? next?.lowerBound == part.upperBound : part.upperBound == trials)
      #expect(number > 1 || part.lowerBound == 0)
    }
  }

  @Test(arguments: ["", "1", "0/4", "5/4", "-1/4", "1/0", "1/4/4", "01/4", "+1/4", " 1/4", "1/4 ", "a/4", "1/", "/4"])
  func `a shard is a number from 1 to the number of shards`(text: String) {
    #expect(ShardNumber(rawValue: text) == nil)
  }

  @Test(arguments: [
    ("1/1", UInt64.max), ("3/16", 0), ("400/400", 1),
  ])
  func `a shard is read as it was written`(number: String, seed: UInt64) throws {
    let shard = try Self.shard(number, of: Self.subject("\"é\" \\ \n\u{7}"), run: 9, row: 3, rows: 4, seed: seed)
    #expect(!shard.line.utf8.contains { $0 < 0x20 })
    #expect(try PredictionShard(line: Array(shard.line.utf8)) == shard)
  }

  @Test func `a line has the counts in the order of their times`() throws {
    var counts = DiscoveryCounts()
    for time in [9_000, 2_500, nil, 2_700, 120_000] as [Int?] { counts.add(time) }
    let whole = PredictionShard(
      subject: Self.subject(), run: 3, row: 1, rows: 2, seed: 1, trials: 5, shard: .whole, counts: counts)
    let start = #"{"counts":[[2,2],[9,1],[120,1]],"found":4,"notFound":1,"row":1,"rows":2,"run":3,"seed":1,"#
    #expect(whole.line.hasPrefix(start))
    #expect(whole.line.contains(##""sum":134200,"trials":5,"version":"\##(Release.version)"}"##))
  }

  @Test(arguments: [
    ("{", "[", "not a line of 'blepera predict --shard'"),
    ("\"seed\"", "\"Seed\"", "No value associated with key \"seed\""),
    (
      "\"version\":\"\(Release.version)\"", "\"version\":\"0.0.9\"",
      "is of blepera 0.0.9, and this is blepera \(Release.version); use one version"
    ),
    ("\"version\":\"\(Release.version)\"", "\"version\":1", "not a line of 'blepera predict --shard': version"),
    ("\"shard\":\"2/4\"", "\"shard\":\"5/4\"", "shard: Cannot initialize ShardNumber"),
    ("\"shard\":\"2/4\"", "\"shard\":\"2/3\"", "the counts are not those of shard 2/3 of 400 trials"),
    ("\"shard\":\"2/4\"", "\"shard\":\"2/401\"", "the number of trials is not one of"),
    ("\"trials\":400", "\"trials\":404", "the counts are not those of shard 2/4 of 404 trials"),
    ("\"trials\":400", "\"trials\":-400", "the number of trials is not one of"),
    ("\"trials\":400", "\"trials\":9000000000000000000", "the number of trials is not one of"),
    ("\"counts\":[", "\"counts\":[[1],", "the counts are not those of"),
    ("\"counts\":[", "\"counts\":[[1,1],", "the counts are not those of"),
    ("\"counts\":[", "\"counts\":[[-1,1],", "the counts are not those of"),
    ("\"counts\":[", "\"counts\":[[9223372036854775807,9223372036854775807],", "the counts are not those of"),
    ("\"counts\":[[", "\"counts\":[[9", "the counts are not those of"),
    ("\"found\":", "\"found\":1", "the counts are not those of"),
    ("\"notFound\":", "\"notFound\":1", "the counts are not those of"),
    ("\"sum\":", "\"sum\":-", "the counts are not those of"),
    ("\"sum\":", "\"sum\":1", "the counts are not those of"),
    ("\"interval\":1022500", "\"interval\":0", "the setting or"),
    ("\"window\":30000", "\"window\":330000", "the setting or"),
    ("\"within\":8000000", "\"within\":9223372036854775807", "the setting or"),
    ("\"within\":8000000", "\"within\":8000", "the counts are not those of"),
    ("\"loss\":0", "\"loss\":1000001", "the setting or"), ("\"row\":1", "\"row\":2", "row 2 of 1 in run 1 is not"),
    ("\"row\":1", "\"row\":0", "row 0 of 1 in run 1 is not"), ("\"run\":1", "\"run\":0", "row 1 of 1 in run 0 is not"),
  ])
  func `a damaged line is refused with its place`(text: String, damage: String, reason: String) throws {
    let lines = try [Self.shard("1/4").line, Self.shard("2/4").line]
    var damaged = lines[1]
    damaged.replaceSubrange(try #require(damaged.firstRange(of: text)), with: damage)
    let error = #expect(throws: PredictionShard.Fault.self) {
      try PredictionShard.read(Array("\(lines[0])\n\(damaged)\n".utf8), file: "2.jsonl")
    }
    #expect(error?.place == "2.jsonl:2")
    #expect(error?.reason.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test func `no beginning of a line is a shard`() throws {
    let line = Array(try Self.shard("2/40").line.utf8)
    for length in line.indices {
      #expect(throws: PredictionShard.Fault.self) { try PredictionShard(line: Array(line[..<length])) }
    }
  }

  @Test(
    arguments: [
      ([], "a.jsonl: error: the file is empty; run its shard again"),
      (Array("\n".utf8), "a.jsonl:1: error: not a line of"), (Array("\u{1}\n".utf8), "a.jsonl:1: error: not a line of"),
      ([0xFF], "a.jsonl:1: error: not a line of"), (Array("{\"version\":\"\n".utf8), "a.jsonl:1: error: not a line of"),
    ] as [([UInt8], String)])
  func `a file without shards is refused`(bytes: [UInt8], description: String) {
    let error = #expect(throws: PredictionShard.Fault.self) { try PredictionShard.read(bytes, file: "a.jsonl") }
    #expect(error?.description.hasPrefix(description) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    (["1/1"], "1/2", 1, 400, "b:1", "the number of shards is 2, that of shards before is 1"),
    (["1/4", "2/4", "3/4"], "4/4", 2, 400, "b:1", "the seed is 2, that of shards before is 1"),
    (["1/4", "2/4", "3/4"], "4/4", 1, 404, "b:1", "the number of trials is 404, that of shards before is 400"),
    (["1/2", "2/2"], "2/2", 1, 400, "b:1", "shard 2/2 is at a:2, too"),
    (["1/2"], "1/2", 1, 400, "b:1", "shard 1/2 is at a:1, too"),
  ])
  func `shards of other runs and shards that are there twice are refused`(
    numbers: [String], other: String, seed: UInt64, trials: Int, place: String, reason: String
  ) throws {
    var shards: [Placed] = try numbers.enumerated().map { (try Self.shard($1), "a:\($0 + 1)") }
    shards.append((try Self.shard(other, seed: seed, trials: trials), "b:1"))
    let error = #expect(throws: PredictionShard.Fault.self) { try PredictionShard.merge(shards) }
    #expect(error?.place == place)
    #expect(error?.reason.hasPrefix(reason) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ([1], 2, "shards 2 of 2"), ([2, 3], 4, "shards 1, 4 of 4"), ([4, 8], 16, "shards 1 to 3, 5 to 7, 9 to 16 of 16"),
    ([1, 2, 4, 5, 7, 8], 8, "shards 3, 6 of 8"),
  ])
  func `a merge names the shards that are missing`(numbers: [Int], count: Int, missing: String) throws {
    let shards: [Placed] = try numbers.map { (try Self.shard("\($0)/\(count)"), "a:1") }
    let error = #expect(throws: PredictionShard.Fault.self) { try PredictionShard.merge(shards) }
    #expect(error?.description.hasPrefix("error: missing \(missing); run what is missing") == true)
  }

  @Test func `a merge names the settings of which shards are missing`() throws {
    var shards = try Self.files(3).flatMap { try PredictionShard.read(Array($0.text.utf8), file: $0.name) }
    shards.removeAll { $0.place == "2.jsonl:2" }
    let error = #expect(throws: PredictionShard.Fault.self) { try PredictionShard.merge(shards) }
    #expect(error?.reason.hasPrefix("missing shards 2 of 3 of 'narrow'; ") == true)
    // Other settings in one shard of two are two settings, of which one shard each is missing.
    let others: [Placed] = [
      (try Self.shard("1/2"), "a:1"), (try Self.shard("2/2", of: Self.subject("other")), "b:1"),
    ]
    let other = #expect(throws: PredictionShard.Fault.self) { try PredictionShard.merge(others) }
    #expect(other?.reason.hasPrefix("missing shards 1 of 2 of 'other', shards 2 of 2 of '30/320'; ") == true)
  }
}
