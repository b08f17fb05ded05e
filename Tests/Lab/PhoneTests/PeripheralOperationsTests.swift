import BleperaBluetooth
import Testing

@testable import BleperaPhone

@Suite("Each operation at the radio has a number of its own")
struct PeripheralOperationsTests {
  private static let peripherals = [PeripheralID(rawValue: "a"), PeripheralID(rawValue: "b")]

  /// The index of the peripheral whose operations are forgotten, -1 for all, and those that end at a peripheral then.
  @Test(
    "An operation ends once, unless it is forgotten", arguments: [(nil, [0, 1, 0]), (0, [1]), (1, [0, 0]), (-1, [])])
  func ends(forgotten: Int?, ended: [Int]) {
    var operations = PeripheralOperations()
    let ids = [0, 1, 0].map { operations.begin(at: Self.peripherals[$0]) }
    #expect(Set(ids).count == 3)
    if let forgotten { operations.forget(at: forgotten < 0 ? nil : Self.peripherals[forgotten]) }
    let ends = (ids + ids).compactMap { operations.end($0) }
    #expect(ends == ended.map { Self.peripherals[$0] })
    let next = operations.begin(at: Self.peripherals[0])
    #expect(!ids.contains(next))
  }
}
