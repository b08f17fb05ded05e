import ArgumentParser
import BleperaBluetooth
import BleperaDiscovery
import BleperaProfileApp
import BleperaRules
import FoundationEssentials
import TestSupport
import Testing

@testable import BleperaCLI
@testable import BleperaCommands
@testable import BleperaProfile
@testable import BleperaToolsCLI

@Suite struct PredictTests {
  private static func app(
    uuids: Int = 1, name: String? = "Heart", modes: [String] = [Profile.peripheralBackgroundMode],
    overrides: RuleOverrides = RuleOverrides()
  ) -> NamedProfile {
    var profile = Profile()
    profile.backgroundModes = modes
    profile.rules = overrides
    profile.advertisement = AdvertisementData(
      localName: name, serviceUUIDs: (0..<uuids).map { BluetoothUUID(0x1800 + UInt16($0)) })
    return NamedProfile(profile: profile, name: "heart")
  }

  /// The command of a whole command line behind `blepera predict`.
  private static func command(_ words: String) throws -> PredictCommand {
    let words = words.split(separator: " ").map(String.init)
    return try #require(try Blepera.parseAsRoot(["predict"] + words) as? PredictCommand)
  }

  /// The settings of a command line with a file, in whose place the app is.
  private static func settings(_ words: String, _ app: NamedProfile? = app()) throws -> [PredictionSubject] {
    try command((app == nil ? "" : "heart.plist ") + words).settings(of: app.map { [$0] } ?? [])
  }

  private static func report(
    _ subjects: [PredictionSubject], trials: Int = 50, isCompared: Bool = false
  ) -> PredictionReport {
    var run = PredictionRun(subjects.map { ($0, 0..<trials) }, seed: 1)
    for step in run.steps { run.perform(step) }
    return PredictionReport(run.predictions, seed: 1, isCompared: isCompared)
  }

  // MARK: Command lines

  @Test(arguments: [
    ("", "Give a profile"), ("a.plist", "the presets are esphome, "), ("--interval 100", "the presets are esphome, "),
    ("--interval 100 --window 30", "'--window' and '--scan-interval' require each other"),
    ("--interval 100 --window 400 --scan-interval 320", "'--window' is 400 ms, longer than '--scan-interval', 320 ms"),
    ("--interval 100 --window 0 --scan-interval 320", "'--window' must be from 2.5 to 40960 ms, not 0"),
    ("--interval 100 --window 0 --scan-interval 0", "must be from 2.5 to 40960 ms, not 0"),
    ("--interval 0 --preset esphome", "'--interval' must be from 20 to 10240 ms, not 0"),
    ("--interval nan --preset esphome", "'--interval' must be from 20 to 10240 ms"),
    ("--interval 100 --preset esp", "'esp' is not a preset; the presets are esphome, "),
    ("--interval 100 --preset esphome --passive --active", "'--passive' and '--active'"),
    ("--interval 100 --preset esphome --state background", "'--state' requires a profile"),
    ("--interval 100 --preset esphome --android 12", "'--android' requires a preset of Android"),
    ("--interval 100 --preset android-balanced --android 4", "'--android' must be from 5 to 16"),
    ("--interval 100 --preset android-screen-off --android 12", "from Android 13 on"),
    ("--interval 100 --preset esphome --ios 13", "'--ios' requires a profile"),
    ("--interval 100 --preset iphone-lit --ios 18", "'iphone-lit' is 'iphone-awake' in iOS 18"),
    ("--interval 100 --preset esphome --loss 101", "'--loss' must be from 0 to 100 percent, not 101"),
    ("--interval 100 --preset esphome --loss -1", "'--loss' must be from 0 to 100 percent, not -1"),
    ("--interval 100 --preset esphome --within 0", "'--within' must be from 0.001 to 86400 seconds"),
    ("--interval 100 --preset esphome --spacing 0.1", "'--spacing' must be from 0.376 to 10 ms"),
    ("--interval 100 --preset esphome --phones 0", "'--phones' must be from 1 to 10000"),
    ("--interval 100 --preset esphome --trials 0", "'--trials' must be from 1 to"),
    ("--interval 100 --preset esphome --seed x", "'--seed' must be a number from 0"),
    ("--interval 100 --preset esphome --shard 3/2", "--shard"),
    ("--interval 100 --preset esphome --shard 0/2", "--shard"),
    ("--interval 100 --preset esphome --shard 1/2 --json", "'--shard' prints lines to merge"),
    ("--interval 100 --preset esphome --shard 1/20 --trials 10", "divides 10 trials into more parts"),
    ("--interval 100 --preset esphome --run 2", "'--run' requires '--shard'"),
    ("--interval 100 --preset esphome --shard 1/2 --run 0", "'--run' must be from 1 to"),
    ("--merge a --run 2", "'--merge' takes files"),
    ("--merge a --trials 5", "'--merge' takes files"), ("a.plist --merge a", "'--merge' takes files"),
    ("--merge a --interval 100 --preset esphome", "'--merge' takes files"),
  ])
  func `a wrong command line is refused with a sentence`(words: String, sentence: String) {
    do {
      _ = try Self.command(words)
      Issue.record("accepted")
    } catch {
      #expect(Blepera.exitCode(for: error) == .validationFailure)
      #expect(Blepera.message(for: error).contains(sentence), "\(Blepera.message(for: error))")
    }
  }

  @Test func `files to merge may stand before and after other options`() throws {
    #expect(try Self.command("--json --merge a b").merge == ["a", "b"])
    let command = try Self.command("--merge a b --compare --svg c.svg")
    #expect(command.merge == ["a", "b"] && command.compare && command.svg == "c.svg")
  }

  // MARK: Settings

  @Test func `each combination is a setting, which has the name of what differs`() throws {
    let subjects = try Self.settings(
      "--interval 100 --interval 152.5 --preset esphome --window 30 --scan-interval 320", nil)
    #expect(
      PredictionNames.names(of: subjects) == [
        "100 ms, esphome", "100 ms, 30/320", "152.5 ms, esphome", "152.5 ms, 30/320",
      ])
    #expect(subjects.map(\.setting.interval) == [100_000, 100_000, 152_500, 152_500])
    #expect(subjects.map(\.setting.window) == [320_000, 30_000, 320_000, 30_000])
    #expect(subjects.map(\.preset) == ["esphome", nil, "esphome", nil])
    #expect(Set(subjects.map(\.setting.data)) == [31] && Set(subjects.map(\.setting.response)) == [31])
    #expect(subjects.allSatisfy { $0.match == .advertisement && $0.setting.start == .arrival })
    #expect(subjects.allSatisfy { $0.setting.within == 600_000_000 && $0.setting.loss == 0 })
  }

  /// The settings of a sweep come from several command lines.
  @Test(
    arguments: [
      (["--loss 0", "--loss 20 --phones 7"], ["1 phone, 0 % lost", "7 phones, 20 % lost"]),
      (["--within 5", "--from scan-start"], ["from arrival, within 5 s", "from scan-start, within 600 s"]),
      (
        ["--preset bermuda --active", "--preset bermuda --passive", ""],
        ["bermuda, active", "bermuda, passive", "zephyr"]
      ),
      (["", "--backoff --spacing 1"], ["zephyr, without backoff", "zephyr, with backoff"]),
      (["--preset android-low-power --android 12", ""], ["android-low-power", "zephyr"]),
      (
        ["--preset android-low-power --android 12", "--preset android-low-power"],
        ["android-low-power, 512/5120", "android-low-power, 140/1400"]
      ),
      ([""], ["zephyr"]),
    ] as [([String], [String])])
  func `names have what differs, and settings of one name what distinguishes these`(
    words: [String], names: [String]
  ) throws {
    let subjects = try words.flatMap {
      try Self.settings("--interval 100 \($0) \($0.contains("--preset") ? "" : "--preset zephyr")", nil)
    }
    let found = PredictionNames.names(of: subjects)
    for (name, expected) in zip(found, names) { #expect(name.hasPrefix(expected), "\(found)") }
    #expect(Set(found).count == names.count)
    #expect(PredictionNames.names(of: subjects.reversed()) == found.reversed())
  }

  @Test func `names tell iOS versions and states of an app apart`() throws {
    let words = ["--ios 11 --state background", "--ios 11 --state foreground", "--ios 26 --state foreground"]
    let subjects = try words.flatMap { try Self.settings("\($0) --interval 300 --preset esphome") }
    #expect(
      PredictionNames.names(of: subjects) == ["background, iOS 11", "foreground, iOS 11", "foreground, iOS 26"])
  }

  @Test func `a state has the packets and the interval of the rules`() throws {
    let foreground = try #require(try Self.settings("--state foreground --preset esphome").first)
    #expect(foreground.setting.match == .advertisement && foreground.setting.interval == 181_250)
    #expect(foreground.interval?.standing == "ours")
    let old = try #require(try Self.settings("--state background --preset esphome --ios 11").first)
    #expect(old.setting.match == .advertisement && old.setting.interval == 181_250 && old.setting.delay == 5000)
    #expect(old.app?.overflowUUIDs.count == 1)
  }

  @Test func `where captures disagree on the interval, each value is a setting`() throws {
    let subjects = try Self.settings("--state background --preset esphome")
    let value = RuleSet.newest.backgroundInterval
    let all = [value] + value.alternatives
    #expect(all.count == 3)
    #expect(subjects.map(\.setting.interval) == all.map { Int($0.value.minimum * 1000) })
    #expect(subjects.map { $0.interval?.standing } == all.map(\.standing.rawValue))
    #expect(subjects.allSatisfy { $0.setting.match == .response && $0.setting.response == 21 })
    var overrides = RuleOverrides()
    overrides.backgroundInterval = 500
    let own = try Self.settings("--state background --preset esphome", Self.app(overrides: overrides))
    #expect(own.map(\.setting.interval) == [500_000] && own[0].interval?.source == "the profile")
    let given = try Self.settings("--state background --preset esphome --interval 300")
    #expect(given.map(\.setting.interval) == [300_000] && given[0].interval == nil)
  }

  @Test(arguments: [
    ("--state foreground --match name", DiscoverySetting.Match.response, PredictionSubject.Match.name),
    ("--state foreground --match presence", .advertisement, .presence),
    ("--state background --match presence", .advertisement, .presence),
    ("--state background --match advertisement", .advertisement, .advertisement),
    ("--state background --match response", .response, .response),
  ])
  func `the match decides which packet finds the phone`(
    words: String, packet: DiscoverySetting.Match, match: PredictionSubject.Match
  ) throws {
    // Eight UUIDs leave no room for the name in the advertisement.
    let subject = try #require(try Self.settings("\(words) --preset esphome", Self.app(uuids: 12)).first)
    #expect(subject.setting.match == packet && subject.match == match)
  }

  @Test func `what is not on the air is refused, and the phone itself is present`() throws {
    let app = Self.app(modes: [])
    #expect(throws: ValidationError.self) { try Self.settings("--state background --preset esphome", app) }
    #expect(throws: ValidationError.self) { try Self.settings("--match name --state background --preset esphome") }
    #expect(throws: ValidationError.self) { try Self.settings("--match name --interval 100 --preset esphome", nil) }
    let present = try #require(try Self.settings("--match presence --state background --preset esphome", app).first)
    #expect(present.setting.interval == Int(RuleSet.newest.ownInterval.value.minimum * 1000))
  }

  @Test func `many phones are a loss, or on the air where the response is needed`() throws {
    let seen = try #require(try Self.settings("--interval 182.5 --preset esphome --phones 300 --loss 50", nil).first)
    // 70 % of packets collide (facts of the model), and half of the others are lost.
    #expect(abs(Double(seen.setting.loss) / 1_000_000 - 0.85) < 0.01)
    #expect(!seen.isOnAir && seen.loss == 500_000)
    let crowd = try #require(try Self.settings("--state background --preset bermuda --phones 300 --loss 10").first)
    #expect(crowd.isOnAir && crowd.setting.loss == 100_000)
    let passive = try #require(
      try Self.settings("--state background --preset bermuda --phones 300 --passive").first)
    #expect(!passive.isOnAir && !passive.setting.isActive)
  }

  // MARK: Runs and reports

  @Test func `the steps of a run are all trials once, and each setting advances with the others`() throws {
    var subjects = try Self.settings("--interval 100 --interval 200 --preset esphome", nil)
    subjects[1].isOnAir = true
    subjects[1].phones = 7
    let ranges = [3..<1003, 10..<40]
    let run = PredictionRun(Array(zip(subjects, ranges)).map { ($0, $1) }, seed: 1)
    for (index, range) in ranges.enumerated() {
      let steps = run.steps.filter { $0.setting == index }.map(\.trials)
      #expect(steps.flatMap(Array.init) == Array(range))
    }
    // A step on the air does not divide a run of all phones.
    #expect(
      run.steps.filter { $0.setting == 1 }.allSatisfy { $0.trials.lowerBound / 7 == ($0.trials.upperBound - 1) / 7 })
    #expect(run.steps.prefix(run.steps.count / 2).contains { $0.setting == 1 })
  }

  @Test func `a setting has the counts of the model`() throws {
    let subjects = try Self.settings("--interval 182.5 --preset esphome-30 --preset bermuda", nil)
    for prediction in Self.report(subjects, trials: 300).predictions {
      #expect(prediction.counts == DiscoveryModel(prediction.setting, seed: 1).counts(of: 0..<300))
    }
  }

  private struct Decoded: Decodable {
    struct Entry: Decodable {
      let name: String, interval: Double, window: Double, active: Bool, trials: Int
      let mean: Double?, p50: Double?, p99: Double?, notFound: Double?
    }
    let version: Int
    let seed: UInt64
    let predictions: [Entry]
  }

  @Test func `JSON has an object for each setting, and null for what is not found`() throws {
    let subjects = try Self.settings("--state background --interval 270 --preset bermuda --preset bluez-monitor")
    let json = Self.report(subjects).json
    #expect(!json.contains("\n"))
    let decoded = try JSONDecoder().decode(Decoded.self, from: Data(json.utf8))
    #expect(decoded.predictions.map(\.name) == ["bermuda", "bluez-monitor"] && decoded.seed == 1)
    #expect(decoded.predictions.map(\.active) == [true, false])
    #expect(decoded.predictions[0].notFound == 0 && decoded.predictions[0].mean != nil)
    // A passive scanner does not receive the overflow area in the scan response.
    #expect(decoded.predictions[1].notFound == 1)
    #expect(json.contains("\"mean\":null") && json.contains("\"p99\":null"))
  }

  @Test func `the text says why a passive scanner finds nothing`() throws {
    let subjects = try Self.settings("--state background --interval 270 --preset bluez-monitor")
    let text = Self.report(subjects).lines(for: .plain).joined(separator: " ")
    #expect(text.contains("bluez-monitor is passive and never receives a scan response"))
    #expect(text.contains("> 600") && text.contains("100 %"))
    #expect(text.contains("Overflow area: a bit may be set"))
  }

  @Test func `the text has the interval's standing, the traps and a row for each setting`() throws {
    let subjects = try Self.settings("--preset esphome-30")
    let report = Self.report(subjects)
    let lines = report.lines(for: .plain)
    for prediction in report.predictions {
      #expect(lines.contains { $0.hasPrefix(prediction.name) && $0.contains("%") })
    }
    let text = lines.joined(separator: " ")
    #expect(text.contains("(ours: ") && text.contains("(measured: ") && text.contains("(reported: "))
    #expect(text.contains("Interval traps within 5 %"))
  }

  @Test(arguments: [60, 80, 120])
  func `with --compare the settings are columns, in as many tables as fit`(columns: Int) throws {
    let subjects = try Self.settings(
      "--interval 100 " + ScannerPreset.names.prefix(9).map { "--preset \($0)" }.joined(separator: " "), nil)
    let report = Self.report(subjects, isCompared: true)
    let lines = report.lines(for: .plain(columns: columns))
    #expect(lines.filter { $0.hasPrefix("p85 ") }.count > (columns == 60 ? 3 : 1))
    #expect(lines.filter { $0.count > columns } == [])
    let titles = lines.filter { $0.hasPrefix("     ") }.joined(separator: " ").split(separator: " ").map(String.init)
    for prediction in report.predictions { #expect(titles.contains(prediction.name)) }
  }

  @Test(arguments: [(0.0004, "0.000"), (0.52, "0.520"), (7.004, "7.00"), (99.994, "99.99"), (115.68, "115.7")])
  func `seconds have three digits or more`(value: Double, text: String) {
    #expect(PredictionText.seconds(value) == text)
  }

  @Test(arguments: [(0, "0 %"), (1, "100 %"), (0.0385, "3.85 %"), (0.5024, "50.2 %")])
  func `shares are percent`(share: Double, text: String) {
    #expect(PredictionText.percent(share) == text)
  }

  @Test func `a subject is the same after coding`() throws {
    let subjects = try Self.settings("--preset bluez-discovery --preset iphone-awake --loss 5")
    let decoded = try JSONDecoder().decode([PredictionSubject].self, from: JSONEncoder().encode(subjects))
    #expect(decoded == subjects)
  }
}
