import BleperaBluetooth
import Testing

@Suite struct AttributeValueTests {
  @Test(
    "A read at an offset gets the rest of the value, at its end nothing",
    arguments: [
      ([], 0, []), ([1, 2, 3], 0, [1, 2, 3]), ([1, 2, 3], 1, [2, 3]), ([1, 2, 3], 3, []),
    ] as [([UInt8], Int, [UInt8])])
  func slice(_ value: [UInt8], offset: Int, expected: [UInt8]) throws {
    #expect(try AttributeValue.slice(value, from: offset) == expected)
  }

  @Test("A read beyond the end is invalidOffset", arguments: [(0, 1), (3, 4), (3, -1), (512, 513), (1, Int.max)])
  func sliceBeyond(count: Int, offset: Int) {
    #expect(throws: ATTError.invalidOffset) {
      try AttributeValue.slice([UInt8](repeating: 0, count: count), from: offset)
    }
  }

  @Test("A long read of 512 bytes comes whole in slices of any MTU", arguments: [23, 185, 512, 517])
  func longRead(mtu: Int) throws {
    let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
    var read: [UInt8] = []
    var part: ArraySlice<UInt8>
    repeat {
      part = try AttributeValue.slice(value, from: read.count).prefix(mtu - 1)
      read += part
    } while part.count == mtu - 1
    #expect(read == value)
  }

  @Test(
    "A write keeps what stands before its offset and replaces the rest",
    arguments: [
      ([], 0, [], []),
      ([1, 2, 3], 0, [9], [9]),
      ([1, 2, 3], 0, [], []),
      ([1, 2, 3], 0, [7, 8, 9, 10], [7, 8, 9, 10]),
      ([1, 2, 3], 1, [9], [1, 9]),
      ([1, 2, 3], 1, [], [1]),
      ([1, 2, 3], 2, [8, 9], [1, 2, 8, 9]),
      ([1, 2, 3], 3, [4], [1, 2, 3, 4]),
    ] as [([UInt8], Int, [UInt8], [UInt8])])
  func writing(_ value: [UInt8], offset: Int, bytes: [UInt8], expected: [UInt8]) throws {
    #expect(try AttributeValue.writing(bytes, at: offset, to: value) == expected)
  }

  @Test(
    "A write beyond the end or the 512 bytes is refused, the offset first",
    arguments: [
      (0, 0, 512, nil), (0, 0, 513, .invalidAttributeValueLength), (512, 512, 0, nil),
      (512, 512, 1, .invalidAttributeValueLength), (512, 511, 1, nil), (3, 4, 0, .invalidOffset),
      (3, 4, 600, .invalidOffset), (3, -1, 1, .invalidOffset), (3, Int.max, 1, .invalidOffset),
      (3, Int.min, 1, .invalidOffset),
    ] as [(Int, Int, Int, ATTError?)])
  func limits(count: Int, offset: Int, writes: Int, expected: ATTError?) {
    var thrown: ATTError?
    do throws(ATTError) {
      let value = [UInt8](repeating: 0, count: count)
      let result = try AttributeValue.writing([UInt8](repeating: 1, count: writes), at: offset, to: value)
      #expect(result.count == offset + writes)
    } catch {
      thrown = error
    }
    #expect(thrown == expected)
  }
}
