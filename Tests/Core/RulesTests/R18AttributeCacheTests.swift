import BleperaRules
import Testing

@Suite("R18: attribute cache")
struct R18AttributeCacheTests {
  @Test(
    "What is kept when the connection ends depends on the bond and on Service Changed",
    arguments: [(true, true, true), (true, false, false), (false, true, false), (false, false, true)])
  func keeping(isBonded: Bool, hasServiceChanged: Bool, isKept: Bool) {
    #expect(RuleSet.keepsAttributes(isBonded: isBonded, hasServiceChanged: hasServiceChanged) == isKept)
  }
}
