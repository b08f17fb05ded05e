package import BleperaBluetooth

/// R17: apps know a peripheral by an identifier from its discovery on, which stays with the address.
extension RuleSet {
  /// How the phone listens for the peripherals that apps wait for.
  package func connectionTiming(isScreenOn: Bool) -> ScanTiming {
    (isScreenOn ? connectionScan : sleepConnectionScan).value
  }

  /// Whether the phone may forget a peripheral that no app uses: one with a resolvable private address and without a
  /// bond, which does not return under that address.
  package static func mayForget(_ address: PeripheralID, isBonded: Bool) -> Bool {
    !isBonded && ["4", "5", "6", "7"].contains(address.rawValue.prefix(1))
  }
}
