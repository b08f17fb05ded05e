import BleperaBluetooth
import BleperaLoop
import BleperaRules
import Testing

@testable import BleperaPhone

@Suite("Updates on their way wait for the connection event, or until they are saved")
struct UpdateDeliveryTests {
  private static let centrals = [CentralID(rawValue: "A"), CentralID(rawValue: "B")]

  @Test("One connection event is awaited while updates wait, and the next one where some are left")
  func events() {
    let timers = CountedTimers()
    var delivery = UpdateDelivery()
    delivery.add(to: []) { timers.start() }
    #expect(timers.started == 0)
    for _ in 1...3 { delivery.add(to: Self.centrals) { timers.start() } }
    var rooms = [delivery.queue.hasRoom(for: Self.centrals, limit: 3)]
    #expect(timers.started == 1)
    delivery.drain(uncarried: { $0 == Self.centrals[0] ? 2 : 0 }, timer: { timers.start() })
    #expect(timers.started == 2)
    rooms += [delivery.queue.hasRoom(limit: 2), delivery.queue.hasRoom(for: [Self.centrals[1]], limit: 1)]
    delivery.drain(uncarried: { _ in 0 }, timer: { timers.start() })
    rooms.append(delivery.queue.hasRoom(limit: 1))
    #expect(timers.started == 2)
    #expect(rooms == [false, false, true, true])
  }

  @Test("Updates that follow closely are saved with the first; only those of apps that wait are returned, once")
  func unsaved() {
    let characteristic = CharacteristicID(service: ServiceID(rawValue: 1), index: 0)
    let timers = CountedTimers()
    let manager = ManagerID(.peripheral, .number(0))
    var delivery = UpdateDelivery()
    delivery.kept(nil) { timers.start() }
    #expect(!delivery.hasUnsaved)
    for session in [7, 8] {
      delivery.kept(.init(app: AppID(rawValue: 1), session: session, manager: manager, characteristic: characteristic))
      { timers.start() }
    }
    #expect(timers.started == 1 && delivery.hasUnsaved)
    let taken = [delivery.takeUnsaved(), delivery.takeUnsaved()]
    #expect(taken.map { $0.map(\.session) } == [[7, 8], []])
    #expect(timers.cancelled == 1 && !delivery.hasUnsaved)
    delivery.kept(nil) { timers.start() }
    #expect(timers.started == 2)
  }
}
