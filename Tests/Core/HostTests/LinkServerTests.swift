import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("The server of one link")
struct LinkServerTests {
  private static let read = ATTPDU.readRequest(3)
  private static let execution = ATTPDU.executeWriteRequest(true)
  private static let id = AttributeRequestID(link: ConnectionID(1), number: 7)
  private static let pending = PendingRequest(id: id, objects: [], purpose: .read)

  @Test(
    "Several values are read in order, and the response has them all",
    arguments: [
      (ATTPDU.readRequest(3), [7] as [UInt8], [nil] as [AttributeHandle?], [7] as [UInt8]),
      (.readMultipleRequest([3, 4, 5]), [7, 8, 9], [4, 5, nil], [7, 8, 9]),
      (.readMultipleVariableRequest([3, 4]), [7, 8], [4, nil], [1, 0, 7, 1, 0, 8]),
    ])
  func several(request: ATTPDU, values: [UInt8], next: [AttributeHandle?], response: [UInt8]) {
    var server = LinkServer()
    server.begin(request)
    for (value, next) in zip(values, next) {
      let whole = server.hasRead([value])
      #expect(whole == (next == nil ? response : nil))
      #expect(server.reading == (request == Self.read ? nil : next))
    }
  }

  @Test("A request waits for the application, and a second one is ignored until then")
  func waits() {
    var server = LinkServer()
    var begun = [server.begin(Self.read)]
    server.wait(for: Self.pending)
    begun.append(server.begin(.writeRequest(4, [1])))
    let other = AttributeRequestID(link: ConnectionID(1), number: 6)
    let answered = [other, Self.id, Self.id].map { server.answered($0) }
    #expect(answered == [nil, .read, nil])
    let responses = (0..<2).map { _ in server.respond(.success([7]), mtu: 23, joined: false) }
    #expect(responses == [.readResponse([7]), nil])
    begun.append(server.begin(.readRequest(4)))
    #expect(begun == [true, false, true])
  }

  @Test(
    "An error names the attribute that caused it",
    arguments: [
      (.readRequest(3), [], nil, .readNotPermitted, false, 3),
      (.readMultipleRequest([3, 4, 5]), [1], nil, .readNotPermitted, false, 4),
      (execution, [], 3, .writeNotPermitted, false, 3), (execution, [], nil, .writeNotPermitted, false, 0),
      (execution, [], 3, .invalidOffset, false, 0), (execution, [], 3, .invalidOffset, true, 3),
      (execution, [], 3, .invalidAttributeValueLength, false, 0),
      (execution, [], 3, .invalidAttributeValueLength, true, 3),
    ] as [(ATTPDU, [UInt8], AttributeHandle?, ATTError, Bool, AttributeHandle)])
  func errors(
    request: ATTPDU, values: [UInt8], written: AttributeHandle?, error: ATTError, joined: Bool, named: AttributeHandle
  ) {
    var server = LinkServer()
    server.begin(request)
    for value in values { _ = server.hasRead([value]) }
    if let written { server.executes(written) }
    let response = server.respond(.failure(error), mtu: 23, joined: joined)
    #expect(response == request.error(error, at: named))
    // The next request names no attribute of this one.
    server.begin(Self.execution)
    let next = server.respond(.failure(error), mtu: 23, joined: true)
    #expect(next == Self.execution.error(error, at: 0))
  }

  @Test("The MTU is exchanged once")
  func exchange() {
    var server = LinkServer()
    #expect(!server.hasExchangedMTU)
    for isFirst in [true, false] {
      server.begin(.exchangeMTURequest(100))
      let isExchanged = server.exchangeMTU()
      #expect(isExchanged == isFirst && server.hasExchangedMTU)
      let response = server.respond(.failure(.requestNotSupported), mtu: 23, joined: false)
      #expect((response == nil) == isFirst)
    }
  }

  @Test("One indication is sent at a time, and the others wait in order")
  func indications() {
    var queue = IndicationQueue()
    for handle: UInt8 in 3...5 { queue.add(AttributeHandle(rawValue: UInt16(handle)), [handle]) }
    for handle: UInt8 in 3...5 {
      let next = queue.next
      #expect(next?.handle.rawValue == UInt16(handle) && next?.value == [handle])
      queue.sent(timer: Int(handle))
      #expect(queue.next == nil && queue.count == Int(5 - handle))
      #expect(queue.isUnconfirmed(timer: Int(handle)) && !queue.isUnconfirmed(timer: 2))
      let confirmed = (0..<2).map { _ in queue.confirm() }
      #expect(confirmed == [next?.handle, nil] && !queue.isUnconfirmed(timer: Int(handle)))
    }
    #expect(queue.next == nil)
  }
}
