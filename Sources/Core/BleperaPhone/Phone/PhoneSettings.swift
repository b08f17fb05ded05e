package import BleperaBluetooth
package import BleperaRadio
package import BleperaRules

/// The description of a phone on any radio, which the command line, a scenario and a story make; others take it whole.
package struct PhoneSettings: Hashable, Sendable {
  /// The rules of the system, the kind of phone and what is measured of the phone.
  package var rules: RuleSet
  /// How the phone responds to a pairing request.
  package var pairing = PairingMode.justWorks
  /// Whether the phone publishes an iPhone's own services too.
  package var phoneServices = false
  /// How often an hour, on average, a suspended app is terminated by chance.
  package var memoryPressure = 0.0
  /// `unsupported` or `unauthorized`, for a phone whose apps cannot use Bluetooth.
  package var unusableState: ManagerState?
  /// How long a restored subscriber may stay connected without subscribing again; nil for no limit.
  package var staleLimit: Duration?
  /// Whether the phone advertises under its public address, which does not change; a real adapter has its own.
  package var usesPublicAddress = false
  /// The ATT_MTU that the phone offers over each link, in bytes; nil for that of the rules. bluetoothd has its own.
  package var mtu: Int?
  /// The Device Name that the user has chosen; nil for that of the phone file or of the kind of device. On a real
  /// adapter centrals read the adapter's alias.
  package var chosenName: String?

  /// The Device Name, which centrals and peripherals read.
  package var deviceName: String {
    chosenName ?? rules.measured?.deviceName ?? (rules.splitView.value ? DeviceName.iPad : DeviceName.iPhone)
  }

  package init(rules: RuleSet = .newest) { self.rules = rules }

  package init(
    ios: IOSVersion, kind: PhoneKind = .earlier, measured: MeasuredPhone? = nil, splitView: Bool = false
  ) {
    self.init(rules: RuleSet(ios).with(phoneKind: kind).with(measured).with(splitView: splitView))
  }
}
