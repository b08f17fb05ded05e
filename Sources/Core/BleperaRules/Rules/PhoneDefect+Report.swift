package import BleperaBluetooth

extension PhoneDefect {
  /// The published reports of a defect.
  package struct Report: Hashable, Encodable, Sendable {
    package let name: String
    /// The effect on an app or an accessory, a sentence.
    package let effect: String
    /// The versions of iOS and the devices of the reports.
    package let versions: String
    package let counts: String
    package let source: String
    /// The part that no thread reports; nil for none.
    package let ours: String?
    /// Whether only a virtual link layer has the defect.
    package let virtualOnly: Bool
    /// Whether bluetoothd's link layer does not have the defect.
    package var isOfLinkLayer: Bool { PhoneDefect(rawValue: name).map(PhoneDefect.ofLinkLayer.contains) ?? false }

    fileprivate init(
      _ defect: PhoneDefect, _ effect: String, _ versions: String, _ counts: String, _ source: String, ours: String?
    ) {
      (name, virtualOnly) = (defect.rawValue, PhoneDefect.ofVirtualLinkLayer.contains(defect))
      (self.effect, self.versions, self.counts, self.source, self.ours) = (effect, versions, counts, source, ours)
    }
  }

  package var report: Report {
    switch self {
    case .silentReady:
      Report(
        self, "canSendWriteWithoutResponse turns true again after a write, but peripheralIsReady is not called.",
        "26.5, 26.5.1; not before them, not 26.6 or 27.0", "some 15 users; 2.8 % of sends on 26.5, 2.1 % on 26.5.1",
        "boardsesh/boardsesh PR 3365, issues 3230 and 3235 (2026-07)", ours: "at every write, with room for one write")
    case .writeStall:
      Report(
        self, "canSendWriteWithoutResponse stays false, over 5 s and a new connection, until a write against it.",
        "26.4.2 (kable), 26.5, 26.5.1; not 26.6 or 27.0",
        "26.5: 117 of 4,231 sends failed, all of 12 users; 26.6: 0 of 35; 27.0: 0 of 16, too few to say",
        "boardsesh/boardsesh PR 3563 and issue 3235, JuulLabs/kable issue 1185 (2026-06, 2026-07)",
        ours: "at every send; Bluetooth off ends the stall")
    case .backgroundLost:
      Report(
        self, "A scan does not find a phone whose app is in the background: the overflow area is not read.",
        "18.0; not 18.1", "one report", "rhummelmose/BluetoothKit issue 129 (2024-08)", ours: "that the scanner has it")
    case .reconnectGap:
      Report(
        self, "After a loss the peripheral of an app in the background is not connected for 4 to 7,335 s.",
        "not named", "7 gaps in a day of one phone, some out of reach", "BasedHardware/omi issue 11307 (2026-08)",
        ours: "one gap for each wait, all lengths equally likely, none in the foreground")
    case .encryptionTimeout:
      Report(
        self, "An encryption gets no answer: the connection ends with CBError 15, encryptionTimedOut.",
        "15, also of iPadOS", "one report, and another one without a version",
        "randdusing/cordova-plugin-bluetoothle issue 728, capacitor-community/bluetooth-le issue 482",
        ours: "the time, 30 s, which an ATT request or a pairing waits")
    case .restoreIdentifierStuck:
      Report(
        self, "After 'blepera preserved forget' an app with the same restoration identifier cannot add services.",
        "11", "one report, of an app that was installed again", "openradar 39684430", ours: nil)
    case .parameterStorm:
      Report(
        self, "As a central the phone updates a connection every 120 ms, to 7.5 and 15 ms in turns.",
        "iPadOS 26 on the iPad with A16, iOS 26", "many developers, in one thread; accessories end with 0x28",
        "h2zero/NimBLE-Arduino issue 1175 (2026-07), devzone.nordicsemi.com 124994 and 124468", ours: nil)
    case .addressInPairing:
      Report(
        self, "The private address changes during a pairing: whoever looks for the old one finds no bond later.",
        "not named", "several reports of bonds that fail once the address has changed",
        "yanshouwang/bluetooth_low_energy issue 33, vedderb/vesc_express issue 59 (2025-04)",
        ours: "the moment: in the reports the address changes later")
    }
  }
}
