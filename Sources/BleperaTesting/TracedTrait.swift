public import Testing

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
