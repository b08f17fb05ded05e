import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaVirtualBlueZ
import BlueZContract
import Glibc

/// `blepera-contract [WORD...]`: plays the contract's cases, or those that have all the words in their names, on the
/// bluetoothd of the system bus, which needs two adapters on one air. A line for each; the exit status is 0 where all
/// are kept, 1 where one is not.
///
/// A failed case is played a second time, which the line shows: about one connection in a hundred fails after 30 s in
/// the kernel of a slow micro-VM. A difference in bluetoothd fails twice.
@main
struct ContractRunner {
  private static let limit = Duration.seconds(45)

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let words = CommandLine.arguments.dropFirst().map { $0.lowercased() }
    let cases = ContractCase.all.filter { one in
      words.allSatisfy { one.description.lowercased().contains($0) }
    }
    guard !cases.isEmpty else {
      Output.line("no case has these words in its name")
      exit(2)
    }
    do {
      let radio = try await RealRadio(bus: .system, loop: EventLoop(name: "contract"))
      // An older or newer release is judged by the nearest that was measured.
      let measured = ContractCase.measured
      let minor = min(max(radio.behavior.minor, measured.lowerBound), measured.upperBound)
      exit(try await play(cases.filter { $0.releases.contains(minor) }, on: radio) == 0 ? 0 : 1)
    } catch {
      Output.line("the contract cannot be played: \(error)")
      exit(3)
    }
  }

  /// Returns the number of failed cases.
  private static func play(_ cases: [ContractCase], on radio: RealRadio) async throws -> Int {
    let begin = ContinuousClock.now
    var (broken, again) = (0, 0)
    for one in cases {
      if try await isKept(one, on: radio, failing: "AGAIN ") { continue }
      again += 1
      if try await !isKept(one, on: radio, failing: "FAILED") { broken += 1 }
    }
    let took = Output.seconds(ContinuousClock.now - begin)
    let second = again > broken ? ", \(again - broken) of them the second time" : ""
    Output.line(
      "\(cases.count) cases of the contract in \(took) s: \(cases.count - broken) kept\(second), \(broken) broken")
    return broken
  }

  private static func isKept(_ one: ContractCase, on radio: RealRadio, failing word: String) async throws -> Bool {
    let start = ContinuousClock.now
    let failures = try await radio.play(one, limit: limit)
    let took = Output.seconds(ContinuousClock.now - start)
    Output.line("\(failures.isEmpty ? "ok    " : word)\(took.count < 4 ? "  " : " ")\(took) s  \(one)")
    for failure in failures { Output.line("      \(failure)") }
    return failures.isEmpty
  }
}
