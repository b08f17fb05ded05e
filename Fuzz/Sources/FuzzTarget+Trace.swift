import BleperaAppLink
import BleperaProfile
import BleperaRecording

@testable import BleperaCLI
@testable import BleperaSimulation

extension FuzzTarget {
  /// What `replay` reads; a short trace is played.
  static let trace = FuzzTarget("trace") { bytes in
    do throws(TraceFault) {
      let trace = try TraceFile(bytes)
      requireCoding(of: trace)
      guard trace.isPlannable else { return }
      let script = try ReplayScript(trace)
      guard trace.isShort(script) else { return }
      let apps = Set(trace.header.phones.flatMap(\.apps)).sorted().map { identifier in
        var profile = SampleProfile.profile
        profile.bundleIdentifier = identifier
        return ReplayedApp(profile: profile, name: identifier)
      }
      let player = try ReplayPlayer(trace, script, apps: apps, bluezTimeLimit: .milliseconds(4500))
      let comparison = player.play()
      player.air.endApps()
      let report = ReplayReport(
        path: "input.jsonl", trace: trace, script: script, difference: comparison.firstDifference)
      require(!report.lines(for: .plain).isEmpty && !report.json.isEmpty, "a replay has a result")
    } catch {
      require(error.line ?? 1 >= 1 && !error.reason.isEmpty, "a fault has a line from 1 and a reason")
    }
  }

  private static func requireCoding(of trace: TraceFile) {
    for line in trace.lines {
      require(EventRecord(json: Array(line.record.json.utf8)) == line.record, "an event is read as it was written")
      require(Timestamp(date: line.time.date) == line.time, "a time is read as it was written")
      let text = EventPrinter.text(line.record, at: line.time, on: .plain)
      require(!text.isEmpty, "an event has a text")
    }
  }
}

extension TraceFile {
  /// Whether the offsets are those of ATT.
  fileprivate var isPlannable: Bool { lines.allSatisfy { (0...0xFFFF).contains($0.record.number(.offset) ?? 0) } }

  /// Whether playing it takes little time, and its centrals are possible ones.
  fileprivate func isShort(_ script: ReplayScript) -> Bool {
    header.phones.count <= 2 && header.phones.allSatisfy { $0.apps.count <= 2 } && script.length <= .seconds(60)
      && script.inputs.count <= 24 && script.centrals.count <= 3 && script.mtus.values.allSatisfy { $0 >= 23 }
      && lines.allSatisfy { $0.record.number(.offset) ?? 0 <= 512 && $0.record.bytes(.value)?.count ?? 0 <= 512 }
  }
}
