import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp

/// Events as no system would send them: any identifier, any order.
struct RandomMessages {
  private var numbers: SplitMix64
  private var lastRequest = 0

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  mutating func next() -> ProfileMachine.Event {
    switch Int.random(in: 0..<22, using: &numbers) {
    case 0: .launched
    case 1: .received(.welcome(version: number()))
    case 2: .callback(.didUpdateState(ManagerState(rawValue: .random(in: 0...5, using: &numbers)) ?? .unknown))
    case 3: .callback(.didAddService(ServiceID(rawValue: number()), error: flip() ? "no" : nil))
    case 4: .callback(.didStartAdvertising(error: flip() ? "no" : nil))
    case 5...7: .callback(.didSubscribe(central(), to: id()))
    case 8...9: .callback(.didUnsubscribe(central(), from: id()))
    case 10...11: .callback(.didReceiveRead(read()))
    case 12...14: .callback(.didReceiveWrite((0..<Int.random(in: 0...3, using: &numbers)).map { _ in write() }))
    case 15...16: .callback(.didUpdateValue(id(), queued: flip()))
    case 17: .isReadyToUpdateSubscribers
    case 18: .didChangeState(.suspended)
    case 19...20: .didChangeState([.inactive, .foreground, .background].randomElement(using: &numbers) ?? .background)
    default: .due(id())
    }
  }

  private mutating func flip() -> Bool { .random(using: &numbers) }

  /// Mostly small, seldom the ends of what there is.
  private mutating func number() -> Int {
    switch Int.random(in: 0..<12, using: &numbers) {
    case 0: .max
    case 1: .min
    case 2: -1
    default: .random(in: 0..<4, using: &numbers)
    }
  }

  private mutating func id() -> CharacteristicID {
    CharacteristicID(service: ServiceID(rawValue: number()), index: number())
  }

  private mutating func central() -> CentralDescription {
    .named(["A", "B", ""].randomElement(using: &numbers) ?? "A")
  }

  private mutating func request() -> RequestID {
    lastRequest += 1
    return RequestID(rawValue: lastRequest)
  }

  private mutating func read() -> ReadRequest {
    ReadRequest(id: request(), central: central(), characteristic: id(), offset: number())
  }

  private mutating func write() -> WriteRequest {
    let length = flip() ? Int.random(in: 0...4, using: &numbers) : .random(in: 0...600, using: &numbers)
    return WriteRequest(
      id: request(), central: central(), characteristic: id(), offset: number(),
      value: [UInt8](repeating: 1, count: length))
  }
}
