/// R18: a peripheral that cannot report that its attributes have changed is discovered at each connection if it is
/// bonded. Without a bond it is the other way round (Apple, WWDC 2017-712; philips77, IOS-nRF-Connect issue 30).
extension RuleSet {
  /// Whether the discovered attributes of a peripheral are kept when its connection ends.
  package static func keepsAttributes(isBonded: Bool, hasServiceChanged: Bool) -> Bool { isBonded == hasServiceChanged }
}
