@_exported public import BleperaSimulation
import Synchronization
import Testing
import XCTest

/// The radio of a test and the airs that the test has created.
final class TestContext: Sendable {
  @TaskLocal static var current: TestContext?

  /// The number of an air's last lines that are shown.
  private static let shownLines = 30

  let radio: Radio
  private let airs = Mutex<[Air]>([])

  init(radio: Radio) { self.radio = radio }

  func add(_ air: Air) { airs.withLock { $0.append(air) } }

  /// The last lines of each air's trace; empty if there are none.
  var trace: String {
    airs.withLock { airs in
      airs.filter { $0.traceCount > 0 }.map { air in
        let left = air.traceCount - Self.shownLines
        return ((left > 0 ? ["... \(left) lines before"] : []) + air.trace(last: Self.shownLines))
          .joined(separator: "\n")
      }.joined(separator: "\n\n")
    }
  }

  /// Takes everything off the air.
  func close() async {
    for air in airs.withLock({ $0 }) { await air.close() }
  }
}

extension Air {
  /// Creates an air on the radio of the test's trait or `StoryTestCase`; without either, on a virtual radio.
  ///
  /// An action that cannot be performed on its phones, such as moving an app that does not run, fails the test.
  ///
  /// - Parameters:
  ///   - seed: Seed for the random number generator of a virtual radio; equal seeds give equal runs.
  ///   - loss: The probability, 0 to 1, that a scanner misses an advertisement. Applies to a virtual radio.
  ///   - latency: How long after its connection event a packet of a connection arrives. Applies to a virtual radio.
  public convenience init(seed: UInt64 = 0, loss: Double = 0, latency: Duration = .zero) {
    let (context, isXCTest) = (TestContext.current, Test.current == nil)
    self.init(on: context?.radio ?? .virtual, seed: seed, loss: loss, latency: latency) { failure in
      if isXCTest { XCTFail("\(failure)") } else { Issue.record("\(failure)") }
    }
    context?.add(self)
  }
}
