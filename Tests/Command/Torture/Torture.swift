import ArgumentParser
import BleperaEventLoop
import BleperaLoop
import Glibc

@main
struct Torture: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blepera-torture",
    abstract: "Kill blepera's processes under load on a virtual radio, and see what is kept.",
    discussion: """
      Each trial has a seed of its own, counted from --seed; '--trials 1 --seed S' tries one again. A trial that fails \
      prints what was done and acknowledged, and keeps its folder. The exit status is 1 if there is one.
      """)

  @Option(help: "How many trials there are.")
  var trials = 1000

  @Option(help: "The first trial's seed.")
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("How many trials run at the same time.", valueName: "count"))
  var jobs = 4

  @Option(help: ArgumentHelp("The binary.", valueName: "path"))
  var blepera = ".build/release/blepera"

  func validate() throws {
    guard trials > 0, (1...64).contains(jobs) else {
      throw ValidationError("'--trials' is 1 or more, '--jobs' 1 to 64.")
    }
    guard unsafe access(blepera, X_OK) == 0 else { throw ValidationError("'\(blepera)' cannot be run.") }
  }

  func run() async throws {
    let begin = ContinuousClock.now
    guard let resolved = unsafe realpath(blepera, nil) else { throw ValidationError("'\(blepera)' is not there.") }
    defer { unsafe free(resolved) }
    let binary = unsafe String(cString: resolved)
    let folders = try TrialFolders()
    defer { folders.close() }
    let loops = (0..<jobs).map { (server: EventLoop(name: "radio \($0)"), centrals: EventLoop(name: "centrals \($0)")) }
    var summary = TrialSummary()
    await withTaskGroup(of: (Int, Trial.Outcome).self) { group in
      var next = 0
      func startNext(on job: Int) {
        guard next < trials else { return }
        let plan = TrialPlan(seed: seed &+ UInt64(next))
        next += 1
        let (folder, loops) = (folder(of: plan, folders), loops[job])
        group.addTask {
          do {
            return (job, try await Trial(plan: plan, folder: folder, binary: binary, loops: loops).run())
          } catch {
            return (job, Trial.Outcome(seed: plan.seed, victim: plan.victim, failure: "\(error)"))
          }
        }
      }
      for job in 0..<jobs { startNext(on: job) }
      while let (job, outcome) = await group.next() {
        summary.add(outcome)
        conclude(outcome, in: folder(of: TrialPlan(seed: outcome.seed), folders))
        if summary.trials % 100 == 0, summary.trials < trials { say("\(summary.trials) of \(trials) trials ...") }
        startNext(on: job)
      }
    }
    say(summary.line(after: begin.duration(to: .now), seed: seed))
    if summary.failed > 0 { throw ExitCode(1) }
  }

  private func folder(of plan: TrialPlan, _ folders: TrialFolders) -> String {
    "\(plan.aim == nil ? folders.memory : folders.disk)/\(plan.seed)"
  }

  private func conclude(_ outcome: Trial.Outcome, in folder: String) {
    guard let failure = outcome.failure else {
      _ = try? ChildProcess(["rm", "-rf", folder]).wait()
      return
    }
    let kept = "/tmp/blepera-torture-failed-\(getpid())-\(outcome.seed)"
    _ = try? ChildProcess(["mv", folder, kept]).wait()
    say("trial of seed \(outcome.seed) has failed: \(failure)")
    for line in outcome.trace { say("  \(line)") }
    say(
      "  its state is \(kept)/state/blepera/\(TestedPhone.name)/state.json; once more: --trials 1 --seed \(outcome.seed)"
    )
  }

  /// Prints a line without buffering.
  private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
  }
}
