import Testing

@testable import BleperaAir

struct SlotTableTests {
  private var table = SlotTable<Int, [String]>()

  init() {
    table[1] = ["a"]
    table[2] = ["b"]
  }

  @Test("A part of a value is changed, that of a key without one is not")
  mutating func change() {
    table[1]?.append("c")
    table[3]?.append("d")
    #expect(table[1] == ["a", "c"])
    #expect(table[3] == nil)
    #expect(table.keys.sorted() == [1, 2])
  }

  @Test("A copy keeps what it has when the other is changed")
  mutating func copies() {
    let copy = table
    table[1]?.append("c")
    table[2] = nil
    #expect(copy[1] == ["a"])
    #expect(copy[2] == ["b"])
    #expect(table[1] == ["a", "c"])
    #expect(table.values == [["a", "c"]])
  }

  @Test("A value is removed and returned once")
  mutating func removal() {
    #expect(table.removeValue(forKey: 1) == ["a"])
    #expect(table.removeValue(forKey: 1) == nil)
    #expect(!table.contains(1) && table.contains(2))
  }
}
