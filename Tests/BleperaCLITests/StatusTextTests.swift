import Control
import FoundationEssentials
import Testing

@testable import BleperaCLI

@Suite struct StatusTextTests {
  private static let background = SystemStatus(
    ios: 26, adapter: "hci0", radio: "poweredOn", screenLocked: false,
    apps: [
      SystemStatus.App(
        identifier: "org.example.lock", name: "Lock", state: "background", backgroundMode: true, budgetLeft: 9.2,
        queued: 2, unanswered: 1, overstays: 1, localName: "Lock", serviceUUIDs: ["180D"])
    ],
    air: SystemStatus.Air(
      advertisements: [
        SystemStatus.Air.Packet(
          advertisingData: "14FF4C000100000000000000200000000000000000020106", scanResponse: "", isRegistered: true)
      ],
      pace: "background", intervalAskedFor: SystemStatus.Air.Interval(minimum: 1022.5, maximum: 1022.5),
      intervalInForce: SystemStatus.Air.Interval(minimum: 1021.875, maximum: 1022.5), overflow: ["180D"],
      reasons: ["180D: in the overflow area, bit 61 (R2)"]),
    subscribers: [
      SystemStatus.Subscriber(
        central: "F0:F1:F2:F3:00:01", app: "org.example.lock", service: "180D", characteristic: "2A37")
    ], warnings: [])

  @Test func `in the background: what is on the air, structure by structure, and why`() {
    #expect(
      StatusText(terminal: .plain).lines(Self.background).joined(separator: "\n") == """
        phone       iOS 26, hci0 powered on, screen on
        app         org.example.lock  background  (9.2 s left, 2 queued, 1 unanswered, cut off 1 time)
                    advertises "Lock" 180D
        air         advertisement, 24 of 31 bytes
                    14 FF 4C00 01 00000000000000200000000000000000  overflow area: bit 61
                    02 01 06                    flags 06: discoverable, LE only
        interval    1022.5 ms asked for (background), 1021.875 to 1022.5 ms in force
                    180D: in the overflow area, bit 61 (R2)
        subscriber  F0:F1:F2:F3:00:01  org.example.lock  180D/2A37
        """)
  }

  @Test func `silent, with a foreground-only app suspended and a warning`() {
    let status = SystemStatus(
      ios: 13, adapter: nil, radio: "noDaemon", screenLocked: true,
      apps: [
        SystemStatus.App(
          identifier: "a", name: "a", state: "suspended", backgroundMode: false, throttledFor: 3, dropped: 4,
          serviceUUIDs: ["1809"], advertisingWithheldBy: "R4")
      ], air: SystemStatus.Air(reasons: ["1809: not advertised (R4)"]), subscribers: [], warnings: ["too old"])
    #expect(
      StatusText(terminal: .plain).lines(status).joined(separator: "\n") == """
        phone       iOS 13, no bluetoothd, screen off
        app         a  suspended  (throttled for 3.0 s, 4 dropped, foreground only)
                    advertises 1809: not before its next foreground (R4)
        air         silent
                    1809: not advertised (R4)
        warning     too old
        """)
  }

  @Test func `colour changes nothing but the colour`() {
    let plain = StatusText(terminal: .plain).lines(Self.background)
    let coloured = StatusText(terminal: .coloured).lines(Self.background)
    #expect(coloured != plain)
    #expect(coloured.map(\.withoutColour) == plain)
  }

  @Test func `JSON is the status, on one line`() throws {
    let json = StatusText.json(Self.background)
    #expect(!json.contains("\n"))
    #expect(try JSONDecoder().decode(SystemStatus.self, from: Data(json.utf8)) == Self.background)
  }
}
