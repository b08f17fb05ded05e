/// Apple's rules for the connection parameters that an accessory requests (Accessory Design Guidelines, R21, 49.6;
/// those of 2024, which allow longer times and ask for a timeout of 6 s at least, which iPhones do not).
package enum AccessoryLinkRules {
  /// The first rule that a request breaks; nil for none.
  ///
  /// - Parameters:
  ///   - minimum: the shortest interval, in units of 1.25 ms, as `maximum` is.
  ///   - timeout: in units of 10 ms.
  package static func broken(minimum: Int, maximum: Int, latency: Int, timeout: Int) -> String? {
    let longest = maximum * (latency + 1)
    let isLong = timeout > 600
    let rules = [
      (latency <= 30, "latency at most 30"), ((200...1800).contains(timeout), "timeout 2 to 18 s"),
      (minimum >= 12 && minimum % 12 == 0, "minimum a multiple of 15 ms"),
      (maximum >= minimum + 12 || maximum == 12 && minimum == 12, "maximum 15 ms above the minimum, or both 15 ms"),
      (longest <= (isLong ? 4800 : 1600), "maximum x (latency + 1) at most \(isLong ? 6 : 2) s"),
      (longest * 3 < timeout * 8, "maximum x (latency + 1) x 3 below the timeout"),
    ]
    return rules.first { !$0.0 }?.1
  }
}
