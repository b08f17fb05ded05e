import BleperaBluetooth
import Testing

@Suite struct PrepareQueueTests {
  private typealias Write = AttributeWrite

  @Test(
    "Chunks of an attribute that follow each other are one write",
    arguments: [
      ([], []),
      ([(3, 0, [1])], [(3, 0, [1])]),
      ([(3, 0, [1, 2]), (3, 2, [3])], [(3, 0, [1, 2, 3])]),
      ([(3, 5, [1]), (3, 6, [2]), (3, 7, [3])], [(3, 5, [1, 2, 3])]),
      ([(3, 0, [1]), (3, 2, [3])], [(3, 0, [1]), (3, 2, [3])]),
      ([(3, 2, [3]), (3, 0, [1, 2])], [(3, 2, [3]), (3, 0, [1, 2])]),
      ([(3, 0, [1]), (3, 0, [2])], [(3, 0, [1]), (3, 0, [2])]),
      ([(3, 0, [1]), (5, 0, [9]), (3, 1, [2])], [(3, 0, [1, 2]), (5, 0, [9])]),
      ([(3, 0, [1]), (5, 1, [9])], [(3, 0, [1]), (5, 1, [9])]),
      ([(3, 0, []), (3, 0, [1])], [(3, 0, [1])]),
      ([(3, Int.max, [1]), (3, Int.min, [2])], [(3, Int.max, [1]), (3, Int.min, [2])]),
    ] as [([(UInt16, Int, [UInt8])], [(UInt16, Int, [UInt8])])])
  func assembles(_ requests: [(UInt16, Int, [UInt8])], expected: [(UInt16, Int, [UInt8])]) throws {
    var queue = PrepareQueue()
    for (handle, offset, value) in requests {
      try queue.enqueue(AttributeHandle(rawValue: handle), offset: offset, value: value)
    }
    #expect(queue.requests.count == requests.count)
    #expect(
      queue.execute() == expected.map { Write(handle: AttributeHandle(rawValue: $0.0), offset: $0.1, value: $0.2) })
    #expect(queue.requests.isEmpty)
    #expect(queue.execute().isEmpty)
  }

  @Test("A full queue refuses and keeps what it has, and has room again once it was executed or cancelled")
  func full() throws {
    var queue = PrepareQueue(limit: 2)
    try queue.enqueue(3, offset: 0, value: [1])
    try queue.enqueue(3, offset: 1, value: [2])
    #expect(throws: ATTError.prepareQueueFull) { try queue.enqueue(3, offset: 2, value: [3]) }
    #expect(queue.execute() == [Write(handle: 3, offset: 0, value: [1, 2])])
    try queue.enqueue(3, offset: 0, value: [4])
    queue.cancel()
    #expect(queue.execute().isEmpty)
  }

  @Test("A queue of no or fewer places is always full", arguments: [0, -1])
  func noPlace(limit: Int) {
    var queue = PrepareQueue(limit: limit)
    #expect(throws: ATTError.prepareQueueFull) { try queue.enqueue(3, offset: 0, value: []) }
  }

  @Test("A value of 512 bytes arrives whole in chunks of MTU - 5 bytes")
  func longWrite() throws {
    let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
    var queue = PrepareQueue()
    for offset in stride(from: 0, to: 512, by: 18) {
      try queue.enqueue(0x0103, offset: offset, value: Array(value[offset..<min(offset + 18, 512)]))
    }
    let writes = queue.execute()
    #expect(writes == [Write(handle: 0x0103, offset: 0, value: value)])
    #expect(try AttributeValue.writing(writes[0].value, at: writes[0].offset, to: [1, 2, 3]) == value)
  }

  @Test("Offset and length are refused when the writes are executed, not before")
  func checkedLate() throws {
    var queue = PrepareQueue()
    try queue.enqueue(3, offset: 4, value: [1])
    let write = queue.execute()[0]
    #expect(throws: ATTError.invalidOffset) {
      try AttributeValue.writing(write.value, at: write.offset, to: [1, 2, 3])
    }
  }
}
