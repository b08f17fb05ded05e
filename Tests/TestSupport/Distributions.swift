/// The largest difference of two empirical distributions, of Kolmogorov and Smirnov, 0 to 1; nil is a value above all.
public func distance(_ first: [Int?], _ second: [Int?]) -> Double {
  let (left, right) = (first.map { $0 ?? .max }.sorted(), second.map { $0 ?? .max }.sorted())
  var (i, j, result) = (0, 0, 0.0)
  while i < left.count, j < right.count {
    let value = min(left[i], right[j])
    while i < left.count, left[i] == value { i += 1 }
    while j < right.count, right[j] == value { j += 1 }
    result = max(result, abs(Double(i) / Double(left.count) - Double(j) / Double(right.count)))
  }
  return result
}
