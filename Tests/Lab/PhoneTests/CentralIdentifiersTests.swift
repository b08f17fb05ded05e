import BleperaBluetooth
import Testing

@testable import BleperaPhone

@Suite("Apps know centrals by identifiers that are not their addresses")
struct CentralIdentifiersTests {
  @Test("An identifier leads to its address until it is forgotten, and an address that returns has the same")
  func identifiers() {
    let address = CentralID(rawValue: "00:11:22:33:44:55")
    let other = CentralID(rawValue: "00:11:22:33:44:66")
    var table = CentralIdentifiers()
    let identifier = table.identifier(of: address)
    let identifiers = [table.identifier(of: other), table.identifier(of: address)]
    #expect(identifier != address && identifiers[0] != identifier && identifiers[1] == identifier)
    #expect(table.address(of: identifier) == address)
    #expect(table.address(of: address) == address)
    table.forget(address)
    #expect(table.address(of: identifier) == identifier)
    let returned = table.identifier(of: address)
    #expect(returned == identifier)
    for central in [address, other] { table.forget(central) }
    #expect(table.isEmpty)
  }
}
