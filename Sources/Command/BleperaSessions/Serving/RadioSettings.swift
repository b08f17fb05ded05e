package import BleperaBlueZ
package import BleperaController
package import BleperaPhone

/// The settings of a phone and its radio.
package struct RadioSettings: Sendable {
  package var options = BlueZRadio.Options()
  /// The controller of a phone with a host of its own; nil for a phone on bluetoothd.
  package var controller: ControllerPlace?
  package var phone = PhoneSettings()
  /// The options that were given: `--ios 26`, `--exact`.
  package var given: [String] = []
  package var arguments: [String] { given.flatMap { $0.split(separator: " ", maxSplits: 1).map(String.init) } }

  package init() {}
}
