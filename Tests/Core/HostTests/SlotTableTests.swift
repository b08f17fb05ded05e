import Testing

@testable import BleperaHost

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
    #expect(table.keys == [1, 2])
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

  @Test("Keys and values are in order of the keys, whatever the order in which they are set")
  mutating func order() {
    for key in [7, 0, 3] { table[key] = ["\(key)"] }
    table[2] = ["other"]
    table[5] = nil
    #expect(table.keys == [0, 1, 2, 3, 7])
    #expect(table.values == [["0"], ["a"], ["other"], ["3"], ["7"]])
  }

  @Test("A value is removed and returned once")
  mutating func removal() {
    #expect(table.removeValue(forKey: 1) == ["a"])
    #expect(table.removeValue(forKey: 1) == nil)
    #expect(!table.contains(1) && table.contains(2))
  }
}
