import Glibc
import Scenario
import ScenarioRunner
import Story
import Testing

/// The scenarios of the folder `scenarios`.
enum Shipped {
  private static let root =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")

  /// All there are, sorted.
  static let names: [String] = {
    guard let directory = unsafe opendir("\(root)/scenarios") else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".plist") { names.append(String(name.dropLast(6))) }
    }
    return names.sorted()
  }()

  /// Checked, without a diagnostic.
  static func scenario(_ name: String) throws -> Scenario {
    let check = Scenario.check(try file("scenarios/\(name).plist"), file: "\(root)/scenarios/\(name).plist") { path in
      (try? bytes(at: path)).map { .success($0) } ?? .failure(UnreadableProfile(reason: "no such file"))
    }
    #expect(check.diagnostics.map { "\($0)" } == [])
    return try #require(check.scenario)
  }

  static func stage(_ scenario: Scenario) -> StoryStage {
    let troubles = Troubles()
    return StoryStage(
      scenario, on: Air(on: .virtual, seed: scenario.seed) { troubles.add("\($0)") }, troubles: troubles)
  }

  static func play(_ scenario: Scenario, _ name: String) async -> ScenarioResult {
    var runner = ScenarioRunner(scenario, on: stage(scenario))
    return await runner.run(file: "scenarios/\(name).plist")
  }

  /// A file of the project, by its path from the project's root.
  static func file(_ path: String) throws -> [UInt8] { try bytes(at: "\(root)/\(path)") }

  private struct Unreadable: Error {
    let path: String
  }

  private static func bytes(at path: String) throws -> [UInt8] {
    guard let file = unsafe fopen(path, "r") else { throw Unreadable(path: path) }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
