import Story

/// Whose turn it is to use the real adapters: one test's at a time.
actor Turn {
  private static let real = Turn()
  /// Whether this task has its turn, as within a suite's.
  @TaskLocal private static var isHeld = false

  private var isTaken = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// Runs it when the radio is free; a virtual one always is.
  static func with(_ radio: Radio, _ body: () async throws -> Void) async throws {
    guard radio != .virtual, !isHeld else { return try await body() }
    await real.take()
    do {
      try await $isHeld.withValue(true) { try await body() }
    } catch {
      await real.leave()
      throw error
    }
    await real.leave()
  }

  private func take() async {
    guard isTaken else { return isTaken = true }
    await withCheckedContinuation { waiters.append($0) }
  }

  private func leave() {
    if waiters.isEmpty { isTaken = false } else { waiters.removeFirst().resume() }
  }
}
