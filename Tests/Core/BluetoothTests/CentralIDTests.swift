import BleperaBluetooth
import Testing

@Suite("The identifier of a central, for apps")
struct CentralIDTests {
  @Test("It is a UUID of version 8, the same for the same address")
  func uuid() {
    let ids = (0..<1000).map { CentralID(rawValue: "00:11:22:33:\($0 / 100):\($0 % 100)").forApps.rawValue }
    #expect(Set(ids).count == 1000)
    for id in ids {
      #expect(id.wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil)
    }
    let address = CentralID(rawValue: "00:11:22:33:44:55")
    #expect(address.forApps == CentralID(rawValue: "00:11:22:33:44:55").forApps)
    #expect(address.forApps.rawValue == "55619B88-1EA1-8926-B287-EFCACBE83C5F")
  }
}
