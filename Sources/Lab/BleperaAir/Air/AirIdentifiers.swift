/// The number of an adapter: 0 is `hci0`.
package struct AdapterID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  package var description: String { "hci\(number)" }
}

/// Two adapters in any order.
package struct AdapterPair: Hashable, Sendable {
  private let lower: AdapterID
  private let upper: AdapterID

  package init(_ first: AdapterID, _ second: AdapterID) {
    lower = min(first, second)
    upper = max(first, second)
  }
}
