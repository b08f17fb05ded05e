import BleperaBluetooth
import Testing

@testable import BleperaAir

@Suite("Subscriptions by handle and central")
struct SubscriptionTableTests {
  private let one = CentralID(rawValue: "1")
  private let two = CentralID(rawValue: "2")

  @Test("Centrals are named in the order in which they subscribed, each once")
  func order() {
    var table = SubscriptionTable()
    let areNew = [two, one, two].map { table.subscribe($0, to: 3) }
    #expect(areNew == [true, true, false])
    #expect(table.subscribers(of: 3) == [two, one])
    let wereThere = [two, two].map { table.unsubscribe($0, from: 3) }
    #expect(wereThere == [true, false])
    #expect(table.subscribers(of: 3) == [one])
  }

  @Test("A bonded central that disconnects is kept, another is not", arguments: [true, false])
  func disconnection(isBonded: Bool) {
    var table = SubscriptionTable()
    for handle: AttributeHandle in [5, 3] { _ = table.subscribe(one, to: handle) }
    _ = table.subscribe(two, to: 3)
    let ended = table.disconnect(one, isBonded: isBonded)
    #expect(ended == [3, 5])
    #expect(table.subscribers(of: 3) == [two])
    #expect(table.retainedSubscribers(of: 3) == (isBonded ? [two, one] : [two]))
    let again = table.reconnect(one)
    #expect(again == (isBonded ? [3, 5] : []))
    #expect(table.subscribers(of: 3) == (isBonded ? [two, one] : [two]))
  }

  @Test("Subscriptions in a range are forgotten, and those that are away are not reported")
  func forgetting() {
    var table = SubscriptionTable()
    for handle: AttributeHandle in [3, 5, 9] { _ = table.subscribe(one, to: handle) }
    _ = table.subscribe(two, to: 3)
    _ = table.disconnect(two, isBonded: true)
    let forgotten = table.forget(3...5).map(\.characteristic)
    #expect(forgotten == [3, 5])
    #expect(table.retainedSubscribers(of: 3) == [])
    #expect(table.subscribers(of: 9) == [one])
  }
}
