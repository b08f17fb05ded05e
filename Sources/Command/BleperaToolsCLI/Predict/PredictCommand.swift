import ArgumentParser
import BleperaBluetooth
import BleperaCLI
import BleperaDiscovery
import BleperaEventLoop
import BleperaProfileApp
import BleperaRules
import Synchronization

struct PredictCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "predict",
    abstract: "Compute how long a scanner needs to find a phone.",
    usage: """
      blepera predict [<options>] [<profile> ...]
      blepera predict --merge <file> ... [--compare] [--json] [--svg <file>]
      """,
    discussion: """
      For the apps of a phone, or for an interval, and for scanners: mean and percentiles, interval traps, and the \
      chance of false bits in the overflow area. The presets are \(Quote.list(ScannerPreset.names, "and")).

        blepera predict profiles/heart-rate.plist --preset esphome
        blepera predict --interval 270 --window 30 --scan-interval 320

      --match is what the scanner looks for; presence is any packet of the phone. With several phones, a setting whose \
      scan response is needed is simulated on the virtual air. Ctrl-C prints the results so far. The exit status is 2 \
      if a profile or a shard cannot be used.
      """)

  @Argument(help: ArgumentHelp("An app of the phone.", valueName: "profile"), completion: .propertyList)
  var files: [String] = []

  @Option(help: ArgumentHelp("Advertising interval (default: by the state).", valueName: "ms"))
  var interval: [Double] = []
  @Option(help: ArgumentHelp("State of the apps (default: both).", valueName: "state"))
  var state: [PredictedState] = []
  @Option(help: ArgumentHelp("A scanner; may be repeated.", valueName: "name"), completion: .list(ScannerPreset.names))
  var preset: [String] = []
  @Option(help: ArgumentHelp("Scan window.", valueName: "ms"))
  var window: Double?
  @Option(help: ArgumentHelp("Scan interval.", valueName: "ms"))
  var scanInterval: Double?
  @Flag(help: "The scanners request no scan responses.")
  var passive = false
  @Flag(help: "The scanners request scan responses.")
  var active = false
  @Option(help: ArgumentHelp("What is looked for (default: as sent).", valueName: "what"))
  var match: PredictionSubject.Match?
  @Option(help: ArgumentHelp("Time zero (default: arrival).", valueName: "start"))
  var from: DiscoverySetting.Start?
  @Option(help: ArgumentHelp("The iOS version (default: 26).", valueName: "version"))
  var ios: IOSVersion?
  @Option(help: ArgumentHelp("Android release of presets (default: 16).", valueName: "release"))
  var android: Int?
  @Option(help: ArgumentHelp("Phones at one place (default: 1).", valueName: "n"))
  var phones: Int?
  @Option(parsing: .unconditional, help: ArgumentHelp("Lost packets (default: 0).", valueName: "percent"))
  var loss: Double?
  @Option(help: ArgumentHelp("Time limit (default: 600).", valueName: "seconds"))
  var within: Double?
  @Flag(help: "Scanners request less often after failures.")
  var backoff = false
  @Option(help: ArgumentHelp("From channel to channel (default: 1.126).", valueName: "ms"))
  var spacing: Double?
  @Option(parsing: .unconditional, help: ArgumentHelp("Random seed (default: 1).", valueName: "number"))
  var seed: String?
  @Option(help: ArgumentHelp("Trials (default: 20000, on the air 2000).", valueName: "n"))
  var trials: Int?

  @Flag(help: "Print the settings side by side.")
  var compare = false
  @Flag(help: "Print a JSON object on one line.")
  var json = false
  @Option(help: ArgumentHelp("Write a picture of the curves.", valueName: "file"), completion: .picture)
  var svg: String?
  @Option(help: ArgumentHelp("Compute a part, such as 2/16, to merge.", valueName: "i/n"))
  var shard: ShardNumber?
  @Option(help: ArgumentHelp("The place of these settings in a merged sweep (default: 1).", valueName: "n"))
  var run: Int?
  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Print the result of all shards.", valueName: "file"),
    completion: .file())
  var merge: [String] = []

  func run() async throws {
    let picture = try svg.map { try ReplacedFile($0, isOurs: DiscoverySVG.isPicture) }
    let report: PredictionReport
    if merge.isEmpty {
      let settings = try settings(of: files.isEmpty ? [] : ProfileFiles.load(files))
      let predictions = compute(settings)
      if let shard { return try print(predictions, of: shard) }
      report = PredictionReport(predictions, seed: seedNumber, isCompared: compare)
    } else {
      report = try merged()
    }
    report.print(on: Terminal(.output), asJSON: json)
    let curves = report.predictions.map { (name: $0.name, counts: $0.counts) }
    let within = report.predictions.map(\.setting.within).max() ?? 0
    try picture?.write(Array(DiscoverySVG(curves: curves, within: within).text.utf8))
  }

  /// The trials of a setting in all shards.
  private func trials(of subject: PredictionSubject) -> Int { trials ?? (subject.isOnAir ? 2000 : 20_000) }

  /// Computes the trials until all are there or a signal arrives.
  private func compute(_ subjects: [PredictionSubject]) -> [Prediction] {
    let settings = subjects.map { subject in
      (subject: subject, trials: (shard ?? .whole).part(of: trials(of: subject)))
    }
    let errors = Terminal(.error)
    let interruption = Interruption()
    let signals = EventLoop(name: "blepera").watchTermination { _ in interruption.set() }
    defer { withExtendedLifetime(signals) {} }
    let crowds = settings.filter { $0.subject.isOnAir && !$0.trials.isEmpty }
    if !crowds.isEmpty {
      let time = crowds.reduce(Duration.zero) { $0 + PredictionProgress.estimate($1.subject, $1.trials) }
      errors.print("The runs on the virtual air take at most about \(PredictionProgress.text(time)).")
    }
    var run = PredictionRun(settings, seed: seedNumber)
    var progress = PredictionProgress(errors, steps: run.steps.count)
    for step in run.steps where !interruption.isSet {
      run.perform(step)
      progress.advance()
    }
    progress.finish(isInterrupted: interruption.isSet)
    return run.predictions
  }

  /// Prints a line for each setting; an interrupted shard has no lines, since it cannot be merged.
  private func print(_ predictions: [Prediction], of shard: ShardNumber) throws {
    let shards = predictions.enumerated().map { index, prediction in
      PredictionShard(
        subject: prediction.subject, run: run ?? 1, row: index + 1, rows: predictions.count, seed: seedNumber,
        trials: trials(of: prediction.subject), shard: shard, counts: prediction.counts)
    }
    guard shards.allSatisfy({ $0.counts.trials == shard.part(of: $0.trials).count }) else {
      throw CommandFailure.exit("the shard \(shard) is not complete; run it again")
    }
    Terminal(.output).print(shards.map(\.line))
  }

  private func merged() throws -> PredictionReport {
    do {
      let shards = try merge.flatMap { path in
        let bytes = try ProfileFile.read(
          path, atMost: Self.longestFile, what: "a file of shards", form: "a file of shards")
        return try PredictionShard.read(bytes, file: path)
      }
      let merged = try PredictionShard.merge(shards)
      return PredictionReport(
        merged.map { Prediction(subject: $0.subject, counts: $0.counts) }, seed: merged.first?.seed ?? 1,
        isCompared: compare)
    } catch {
      Terminal(.error).print("\(error)")
      throw ExitCode.faultyInput
    }
  }

  /// The longest file of shards, in bytes.
  private static let longestFile = 1 << 30
}

/// Whether a signal has asked for the end of a run; set on the thread of an event loop.
private final class Interruption: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}

extension CompletionKind {
  fileprivate static var picture: CompletionKind { .file(extensions: ["svg"]) }
}
