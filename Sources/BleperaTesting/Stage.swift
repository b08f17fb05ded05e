import Synchronization
public import Testing

/// The airs that a test has made.
final class Stage: Sendable {
  @TaskLocal static var current: Stage?

  private let airs = Mutex<[Air]>([])
  /// How many of an air's last lines are shown.
  private static let shown = 30

  func add(_ air: Air) { airs.withLock { $0.append(air) } }

  var account: String {
    airs.withLock { airs in
      airs.map { air in
        let trace = air.trace
        let left = trace.count - Self.shown
        return ((left > 0 ? ["... \(left) lines before"] : []) + trace.suffix(Self.shown)).joined(separator: "\n")
      }.joined(separator: "\n\n")
    }
  }
}

/// Shows what happened on the air with every failure of a test.
public struct TracedTrait: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let stage = Stage()
    let handler = IssueHandlingTrait.compactMapIssues { issue in
      var issue = issue
      let account = stage.account
      if !account.isEmpty { issue.comments.append(Comment(rawValue: "what happened:\n\(account)")) }
      return issue
    }
    try await Stage.$current.withValue(stage) {
      try await handler.provideScope(for: test, testCase: testCase, performing: function)
    }
  }
}

extension Trait where Self == TracedTrait {
  /// Shows what happened on the air with every failure.
  public static var traced: Self { TracedTrait() }
}
