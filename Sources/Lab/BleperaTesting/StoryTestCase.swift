public import BleperaSimulation
public import XCTest

/// An XCTest case whose airs use its radio, and whose failures include the trace of the air.
open class StoryTestCase: XCTestCase {
  private var context: TestContext?

  /// The radio of the test's airs.
  open var radio: Radio { .virtual }

  open override func invokeTest() {
    let context = TestContext(radio: radio)
    self.context = context
    TestContext.$current.withValue(context) { super.invokeTest() }
  }

  open override func tearDown() async throws {
    await context?.close()
    try await super.tearDown()
  }

  open override func recordFailure(
    withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
  ) {
    let trace = context?.trace ?? ""
    super.recordFailure(
      withDescription: trace.isEmpty ? description : "\(description)\nwhat happened:\n\(trace)", inFile: filePath,
      atLine: lineNumber, expected: expected)
  }
}
