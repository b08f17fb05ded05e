/// A line of figures on standard output: a JSON object, as `Benchmarks/Servers/bench.py` reads it.
///
/// - Parameters:
///   - work: The name of the measured work; the figures are its amount and its costs.
package func report(_ work: String, _ figures: KeyValuePairs<String, Double>) {
  let rest = figures.map { ",\"\($0.key)\":\($0.value)" }
  print("{\"work\":\"\(work)\"\(rest.joined())}")
}

extension Duration {
  package var seconds: Double { self / .seconds(1) }

  /// The duration divided by `count`, in nanoseconds.
  package func nanoseconds(for count: Int) -> Double { self / .nanoseconds(1) / Double(count) }
}

/// The median of an odd number of values.
package func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
