package import BleperaBlueZ
package import BleperaPhone

/// The settings of a phone and its radio.
package struct RadioSettings: Sendable {
  package var options = BlueZRadio.Options()
  package var phone = PhoneSettings()
  /// The options that were given: `--ios 26`, `--exact`.
  package var given: [String] = []
  package var arguments: [String] { given.flatMap { $0.split(separator: " ", maxSplits: 1).map(String.init) } }

  package init() {}
}
