/// Waits for conditions in other processes that no event reports.
enum Polling {
  /// Much longer than any condition takes.
  static let limit = Duration.seconds(20)
  private static let step = Duration.milliseconds(4)

  static func wait(for what: String, until isThere: () async throws -> Bool) async throws {
    let begin = ContinuousClock.now
    while true {
      var problem = ""
      do {
        if try await isThere() { return }
      } catch {
        problem = ": \(error)"
      }
      guard begin.duration(to: .now) < limit else { throw TrialFailure("no \(what) after \(limit)\(problem)") }
      try await Task.sleep(for: step)
    }
  }
}
