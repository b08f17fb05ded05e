import BleperaBluetooth

extension LaunchMode {
  /// The option of `blepera serve` and `lab` that selects the mode.
  package var option: String { self == .foreground ? "--foreground" : "--background" }
}
