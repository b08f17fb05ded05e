import ArgumentParser
import BleperaAppLink

/// The place of a shard among the shards of a run, written `3/16`.
struct ShardNumber: Hashable, RawRepresentable, CustomStringConvertible, ExpressibleByArgument, JSONRaw {
  /// From 1 to `count`.
  let number: Int
  let count: Int

  /// A run that is not divided.
  static let whole = ShardNumber(rawValue: "1/1")!

  init?(rawValue: String) {
    let numbers = rawValue.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let number = numbers[0], let count = numbers[1], number >= 1, number <= count else {
      return nil
    }
    (self.number, self.count) = (number, count)
    guard description == rawValue else { return nil }
  }

  var rawValue: String { description }
  var description: String { "\(number)/\(count)" }

  /// The trials of this shard, which come one after the other.
  ///
  /// - Parameter trials: the number of trials of all shards.
  func part(of trials: Int) -> Range<Int> {
    let ends = [number - 1, number].map { count.dividingFullWidth(trials.multipliedFullWidth(by: $0)).quotient }
    return ends[0]..<ends[1]
  }
}
