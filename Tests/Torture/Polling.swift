/// Waits for what other processes do and nobody tells.
enum Patience {
  /// Much longer than anything takes: what is not there then is not coming.
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
      guard begin.duration(to: .now) < limit else { throw TrialFailure("waited in vain for \(what)\(problem)") }
      try await Task.sleep(for: step)
    }
  }
}
