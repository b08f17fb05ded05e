import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules
import Testing

@testable import BleperaPhone

@Suite("L2CAP channels belong to apps, published by number and opened by centrals")
struct ChannelTableTests {
  private static let (first, second) = (AppID(rawValue: 1), AppID(rawValue: 2))
  private static let central = ChannelPeer.central(CentralID(rawValue: "A"))

  private static func open(_ app: AppID, _ psm: UInt16, on loop: any ActorLoop) -> ChannelTable.Open {
    ChannelTable.Open(
      app: app, psm: L2CAPPSM(rawValue: psm), peer: central, stream: MemoryStream.pair(on: loop).0)
  }

  @Test("Published channels are listed by number, of one app or of all, until they are unpublished")
  func published() {
    var table = ChannelTable()
    for (psm, app) in [(130, Self.first), (128, Self.second), (129, Self.first)] as [(UInt16, AppID)] {
      table.publish(
        .init(app: app, manager: ManagerID(.peripheral, .number(0)), isEncrypted: false), at: L2CAPPSM(rawValue: psm))
    }
    #expect(table.published().map(\.psm.rawValue) == [128, 129, 130])
    #expect(table.published(by: Self.first).map(\.psm.rawValue) == [129, 130])
    #expect(table.publisher(of: L2CAPPSM(rawValue: 128))?.app == Self.second)
    let removed = [129, 129].map { table.unpublish(L2CAPPSM(rawValue: $0))?.app }
    #expect(removed == [Self.first, nil])
    #expect(table.published().map(\.psm.rawValue) == [128, 130])
  }

  @Test("An open channel has a number of its own and is connected to its app once")
  func open() {
    let loop = VirtualLoop()
    var table = ChannelTable()
    let numbers = [Self.first, Self.second, Self.first].map { table.add(Self.open($0, 128, on: loop)) }
    #expect(Set(numbers).count == 3 && numbers == numbers.sorted())
    #expect(table.open().map(\.number) == numbers)
    #expect(table.open(of: Self.first).map(\.number) == [numbers[0], numbers[2]])
    let (stream, other) = MemoryStream.pair(on: loop)
    table.connect(numbers[0], StreamPump(loop: loop, stream, other) { _ in })
    #expect(table.unconnected(numbers[0]) == nil)
    #expect(table.unconnected(numbers[1])?.app == Self.second)
    let removed = [numbers[1], numbers[1]].map { table.remove($0)?.app }
    #expect(removed == [Self.second, nil])
    let next = table.add(Self.open(Self.second, 128, on: loop))
    #expect(!numbers.contains(next) && table.unconnected(numbers[1]) == nil)
  }
}
