import BleperaBluetooth
import Testing

@testable import BleperaHost
@testable import BleperaHostRadio

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

  @Test("A central's characteristics are ascending")
  func characteristics() {
    var table = SubscriptionTable()
    for handle: AttributeHandle in [5, 3] { _ = table.subscribe(one, to: handle) }
    _ = table.subscribe(two, to: 4)
    #expect(table.characteristics(of: one) == [3, 5])
  }

  @Test("Subscriptions in a range are removed and returned")
  func forgetting() {
    var table = SubscriptionTable()
    for handle: AttributeHandle in [3, 5, 9] { _ = table.subscribe(one, to: handle) }
    let forgotten = table.forget(3...5).map(\.characteristic)
    #expect(forgotten == [3, 5])
    #expect(table.characteristics(of: one) == [9])
  }
}
