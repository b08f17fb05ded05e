import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import Testing

@testable import BleperaPhone

@Suite("A request of a central has one response, and stays until it has it")
struct PendingRequestsTests {
  private static let (app, other) = (AppID(rawValue: 1), AppID(rawValue: 2))
  private static let central = RadioCentral(id: CentralID(rawValue: "00:11:22:33:44:55"))
  private static let name = AttributeName(
    service: BluetoothUUID(0xFFF0 as UInt16), characteristic: BluetoothUUID(0xFFF1 as UInt16))

  private static let manager = ManagerID(.peripheral, TestApp.manager)

  private static func read(
    _ service: Int = 0, expectsResponse: Bool = true, to requests: inout PendingRequests
  ) -> EventID {
    let request = AttributeRequest(
      id: RadioRequestID(rawValue: 1000), handle: 0x0100, central: central, offset: 0,
      expectsResponse: expectsResponse)
    let characteristic = CharacteristicID(service: ServiceID(rawValue: service), index: 0)
    let description = CentralDescription(id: central.id, maximumUpdateValueLength: 20)
    let access: PendingRequests.Access =
      expectsResponse ? .read(app, name) : .write([.init(app: app, name: name, offset: 0, value: [1])])
    return requests.add(request, of: app, manager, access, since: .zero) { ids in
      expectsResponse
        ? .didReceiveRead(ReadRequest(id: ids[0], central: description, characteristic: characteristic, offset: 0))
        : .didReceiveWrite([
          WriteRequest(id: ids[0], central: description, characteristic: characteristic, offset: 0, value: [1])
        ])
    }
  }

  @Test("It is delivered once, and its app alone responds, once")
  func response() {
    var requests = PendingRequests()
    let event = Self.read(to: &requests)
    let deliveries = [requests.deliver(event), requests.deliver(event)]
    #expect(deliveries[0]?.message != nil && deliveries[0]?.command == nil && deliveries[1] == nil)
    #expect(requests.message(event) == nil)
    let answers = [Self.other, Self.app, Self.app].map { requests.answer(event, by: $0) != nil }
    #expect(answers == [false, true, false])
    let refused = requests.refuse(event)
    #expect(refused == nil)
  }

  @Test("After a refusal the app's response finds nothing")
  func refusal() {
    var requests = PendingRequests()
    let event = Self.read(to: &requests)
    let refused = requests.refuse(event)
    #expect(refused?.request.id == RadioRequestID(rawValue: 1000))
    let answer = requests.answer(event, by: Self.app)
    #expect(answer == nil && requests.requests(of: Self.central.id).isEmpty)
  }

  @Test("Messages, and writes without response, are gone when they are delivered")
  func delivery() {
    var requests = PendingRequests()
    let message = requests.add(.callback(.isReadyToUpdateSubscribers))
    let command = Self.read(expectsResponse: false, to: &requests)
    #expect(requests.message(message) == .callback(.isReadyToUpdateSubscribers))
    let deliveries = [message, command].map { requests.deliver($0) }
    #expect(deliveries.map { $0?.command != nil } == [false, true])
    #expect([message, command].allSatisfy { requests.message($0) == nil })
    #expect(requests.requests(of: Self.central.id).isEmpty)
    let answer = requests.answer(command, by: Self.app)
    #expect(answer == nil)
  }

  @Test("A unit of writes has a number for each, and the next request another")
  func numbers() {
    var requests = PendingRequests()
    let request = AttributeRequest(
      id: RadioRequestID(rawValue: 1), handle: 0x0100, central: Self.central, offset: 0, expectsResponse: true)
    let write = PendingRequests.Access.Write(app: Self.app, name: Self.name, offset: 0, value: [])
    var numbers: [Int] = []
    let event = requests.add(request, of: Self.app, Self.manager, .write([write, write, write]), since: .zero) { ids in
      numbers = ids.map(\.rawValue)
      return .isReadyToUpdateSubscribers
    }
    #expect(numbers == [event.rawValue, event.rawValue + 1, event.rawValue + 2])
    let next = Self.read(to: &requests)
    #expect(next.rawValue == event.rawValue + 3)
  }

  @Test("They are found by central and by service in the order of their arrival, and are removed with their app")
  func finding() {
    var requests = PendingRequests()
    let events = [3, 4, 3].map { Self.read($0, to: &requests) }
    _ = Self.read(3, expectsResponse: false, to: &requests)
    _ = requests.add(.callback(.isReadyToUpdateSubscribers))
    #expect(requests.requests(of: Self.central.id).count == 4)
    #expect(requests.requests(for: ServiceID(rawValue: 3), of: Self.app) == [events[0], events[2]])
    #expect(requests.requests(for: ServiceID(rawValue: 3), of: Self.other).isEmpty)
    #expect(requests.requests(of: CentralID(rawValue: "none")).isEmpty)
    requests.removeRequests(of: Self.other)
    #expect(requests.requests(of: Self.central.id).count == 4)
    requests.removeRequests(of: Self.app)
    #expect(requests.requests(of: Self.central.id).isEmpty)
  }

  @Test("What an app was killed before it had read is put back, to be delivered again")
  func putBack() {
    var requests = PendingRequests()
    let event = Self.read(to: &requests)
    _ = requests.deliver(event)
    let taken = [Self.other, Self.app].map { requests.take([event], of: $0) }
    #expect(taken.map(\.count) == [0, 1] && requests.requests(of: Self.central.id).isEmpty)
    for (event, request) in taken[1] { requests.putBack(event, request) }
    let again = requests.deliver(event)
    #expect(again != nil)
  }
}
