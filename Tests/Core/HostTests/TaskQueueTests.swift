import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("What a host asks of its peer")
struct TaskQueueTests {
  private static let reading = ClientTask.operation(ClientProcedure(OperationID(1), .read(3)))
  private static let writing = ClientTask.operation(
    ClientProcedure(OperationID(2), .write(4, [9])))
  private static let search = ClientTask.operation(
    ClientProcedure(OperationID(3), .readByType(AttributeTypes.deviceName)))

  /// Begins the next task, and sends its first request with that timer.
  private static func begin(_ queue: inout TaskQueue, timer: Int = 1) -> ATTPDU? {
    guard queue.begin(), case .send(let request)? = queue.start(mtu: 23, offered: 100) else { return nil }
    queue.sent(request, timer: timer)
    return request
  }

  @Test("One task is active at a time, and the others wait in order")
  func order() {
    var queue = TaskQueue()
    for task in [.exchangeMTU, Self.reading, Self.writing] { queue.add(task) }
    let rows: [(ATTPDU?, active: Int?, all: [Int])] = [
      (.exchangeMTURequest(100), nil, [1, 2]), (.readRequest(3), 1, [1, 2]), (.writeRequest(4, [9]), 2, [2]),
      (nil, nil, []),
    ]
    for row in rows {
      let requests = [Self.begin(&queue), Self.begin(&queue)]
      #expect(requests == [row.0, nil])
      #expect(queue.operation?.id.number == row.active && queue.operations.map(\.number) == row.all)
      queue.end()
    }
  }

  @Test(
    "A response to the request ends it, and another one ends it with an error",
    arguments: [
      (.readResponse([7]), .success(.value([7]))), (.writeResponse, .failure(.unlikelyError)),
      (nil, .failure(.unlikelyError)),
      (ATTPDU.readRequest(3).error(.readNotPermitted, at: 3), .failure(.readNotPermitted)),
    ] as [(ATTPDU?, Result<ProcedureAnswer, ATTError>)])
  func response(response: ATTPDU?, result: Result<ProcedureAnswer, ATTError>) {
    var queue = TaskQueue()
    queue.add(Self.reading)
    let early = queue.take(response, mtu: 23)
    _ = Self.begin(&queue, timer: 5)
    #expect(early == nil && queue.isUnanswered(timer: 5) && !queue.isUnanswered(timer: 4))
    let steps = (0..<2).map { _ in queue.take(response, mtu: 23) }
    guard case .finish(let found)? = steps[0] else { return #expect(Bool(false)) }
    #expect(found == result && steps[1] == nil && !queue.isUnanswered(timer: 5))
  }

  @Test("A search lets what waits go first after each response", arguments: [false, true])
  func search(hasOther: Bool) {
    var queue = TaskQueue()
    queue.add(Self.search)
    _ = Self.begin(&queue)
    if hasOther { queue.add(Self.reading) }
    let found = ATTPDU.readByTypeResponse([ATTHandleValue(handle: 3, value: [7])])
    switch queue.take(found, mtu: 23) {
    case .ended?: #expect(hasOther)
    case .send(let request)?: #expect(!hasOther && request == Self.rest)
    default: #expect(Bool(false))
    }
    guard hasOther else { return }
    for request in [.readRequest(3), Self.rest] {
      queue.end()
      let next = Self.begin(&queue)
      #expect(next == request)
    }
  }

  private static let rest = ATTPDU.readByTypeRequest(
    4...AttributeHandle(rawValue: .max), type: AttributeTypes.deviceName)

  @Test("The link is secured once for an operation, which begins again then")
  func secures() {
    var queue = TaskQueue()
    queue.add(.exchangeMTU)
    queue.add(Self.reading)
    _ = Self.begin(&queue)
    // A task that is no operation.
    var results = [queue.secure(), queue.resume()]
    queue.end()
    _ = Self.begin(&queue, timer: 5)
    _ = queue.take(ATTPDU.readRequest(3).error(.insufficientEncryption, at: 3), mtu: 23)
    results.append(queue.secure())
    #expect(queue.isSecuring && !queue.isUnanswered(timer: 5))
    results += [queue.resume(), queue.resume()]
    #expect(!queue.isSecuring)
    guard case .send(.readRequest(3))? = queue.start(mtu: 23, offered: 100) else { return #expect(Bool(false)) }
    results.append(queue.secure())
    #expect(results == [false, false, true, true, false, false])
  }
}
