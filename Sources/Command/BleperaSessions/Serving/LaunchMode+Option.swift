import BleperaBluetooth

extension LaunchMode {
  /// The option of `blepera serve` and `lab` that launches apps so.
  package var option: String { self == .foreground ? "--foreground" : "--background" }
}
