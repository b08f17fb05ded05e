import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import FoundationEssentials
import Testing

@testable import BleperaCLI

@Suite struct StatusTextTests {
  private static let background = PhoneStatus(
    ios: 26, adapter: "hci0", radio: .poweredOn,
    address: PhoneStatus.Address(
      current: "70:81:94:0D:FB:AA", identity: "00:AA:01:00:00:01",
      irk: IdentityResolvingKey(Hex.bytes("EC0234A357C8AD05341010A60A397D9B") ?? [])),
    screenLocked: false,
    apps: [
      PhoneStatus.App(
        identifier: "org.example.lock", name: "Lock", state: .background, backgroundMode: true, secondsLeft: 9.2,
        queuedEvents: 2, pendingRequests: 1, overruns: 1, localName: "Lock", serviceUUIDs: ["180D"])
    ],
    air: PhoneStatus.Air(
      advertisements: [
        PhoneStatus.Air.Packet(
          advertisingData: "14FF4C000100000000000000200000000000000000020106", scanResponse: "", isRegistered: true)
      ],
      intervalKind: "background", requestedInterval: PhoneStatus.Air.Interval(minimum: 270, maximum: 270),
      effectiveInterval: PhoneStatus.Air.Interval(minimum: 269.375, maximum: 270), overflowServiceUUIDs: ["180D"],
      reasons: ["180D: in the overflow area, bit 61 (R2)"]),
    subscribers: [
      PhoneStatus.Subscriber(
        central: "F0:F1:F2:F3:00:01", app: "org.example.lock", service: "180D", characteristic: "2A37")
    ], limitations: [RadioLimitation(id: "gap", iPhone: "None.", instead: "A gap.")], warnings: [])

  @Test func `in the background: what is on the air, structure by structure, and why`() {
    #expect(
      StatusText(terminal: .plain).lines(Self.background).joined(separator: "\n") == """
        phone       iOS 26, hci0 powered on, screen on
        address     70:81:94:0D:FB:AA  private, of 00:AA:01:00:00:01  IRK EC0234A357C8AD05341010A60A397D9B
                    IRK 9B7D390AA610103405ADC857A33402EC  reversed, for TheengsGateway and Bumble; Home Assistant and ESPresense take the other
        app         org.example.lock  background  (9.2 s left, 2 queued, 1 pending, 1 overrun)
                    advertises "Lock" 180D
        air         advertisement, 24 of 31 bytes
                    14 FF 4C00 01 00000000000000200000000000000000  overflow area: bit 61
                    02 01 06                    flags 06: discoverable, LE only
        interval    270 ms requested (background), 269.375 to 270 ms effective
                    180D: in the overflow area, bit 61 (R2)
        subscriber  F0:F1:F2:F3:00:01  org.example.lock  180D/2A37
        note        the radio has 1 limitation; 'blepera doctor' lists them
        """)
  }

  @Test func `silent, with a foreground-only app suspended and a warning`() {
    var status = PhoneStatus(
      ios: 13, adapter: nil, radio: .noDaemon,
      address: PhoneStatus.Address(current: "00:AA:01:00:00:01", identity: "00:AA:01:00:00:01"), screenLocked: true,
      apps: [
        PhoneStatus.App(
          identifier: "a", name: "a", state: .suspended, backgroundMode: false, throttledSeconds: 3, droppedEvents: 4,
          serviceUUIDs: ["1809"], advertisingWithheldBy: "R4")
      ], air: PhoneStatus.Air(reasons: ["1809: not advertised (R4)"]), subscribers: [], warnings: ["too old"])
    status.bonds = [
      PhoneStatus.Bond(
        address: "C0:AA:01:00:00:01", name: "Strap", role: "peripheral", isConnected: false,
        problem: .peripheralHasNoKeys),
      PhoneStatus.Bond(address: "00:AA:01:00:00:00", name: nil, role: "central", isConnected: true, problem: nil),
    ]
    status.pairings = [
      PhoneStatus.Pairing(PairingQuestion(address: "00:11:22:33:44:55", isCentral: true, .compare(4711))),
      PhoneStatus.Pairing(PairingQuestion(address: "C0:00:00:00:00:01", isCentral: false, .type)),
    ]
    status.hosts = ["tcp-client:127.0.0.1:9001"]
    #expect(
      StatusText(terminal: .plain).lines(status).joined(separator: "\n") == """
        phone       iOS 13, no bluetoothd, screen off
        address     00:AA:01:00:00:01  public
        app         a  suspended  (throttled for 3.0 s, 4 dropped, foreground only)
                    advertises 1809: withheld until the next foreground (R4)
        air         nothing advertised
                    1809: not advertised (R4)
        bond        C0:AA:01:00:00:01  "Strap"  peripheral
                    the peripheral has lost its keys and the phone has not; 'blepera bonds forget C0:AA:01:00:00:01' lets them pair again
        bond        00:AA:01:00:00:00  central  connected
        pairing     00:11:22:33:44:55  central  004711  compare the number with the number of the central, then 'blepera pair yes' or 'blepera pair no'
        pairing     C0:00:00:00:00:01  peripheral  the peripheral shows a passkey of six digits: 'blepera pair 123456' types it, 'blepera pair no' refuses
        host        tcp-client:127.0.0.1:9001
        warning     too old
        """)
  }

  @Test(
    arguments: [
      (16, true, 20, "Bluetooth 5.3, company 00E0, 20 packets of 27 bytes, 16 advertising sets"),
      (1, true, 1, "Bluetooth 5.3, company 00E0, 1 packet of 27 bytes, 1 advertising set"),
      (1, false, 20, "Bluetooth 5.3, company 00E0, 20 packets of 27 bytes, legacy advertising"),
    ])
  func `a controller is described, with what it lacks`(sets: Int, isExtended: Bool, buffers: Int, text: String) {
    var status = Self.background
    status.controller = RadioController(
      version: "5.3", company: "00E0", buffers: buffers, bufferLength: 27, sets: sets, extended: isExtended)
    let lines = StatusText(terminal: .plain).lines(status)
    #expect(lines[1] == "controller  \(text)" && lines.last == "note        A gap.")
  }

  @Test func `color changes nothing but the color`() {
    let plain = StatusText(terminal: .plain).lines(Self.background)
    let colored = StatusText(terminal: .colored).lines(Self.background)
    #expect(colored != plain)
    #expect(colored.map(\.withoutColor) == plain)
  }

  @Test func `a terminal breaks lines between words, below the details`() {
    let terminal = Terminal(.output, isTerminal: true, window: 60) { $0 == "NO_COLOR" ? "1" : nil }
    let lines = StatusText(terminal: terminal).folded(Self.background)
    #expect(
      lines[1...2] == [
        "address     70:81:94:0D:FB:AA  private, of 00:AA:01:00:00:01",
        "            IRK EC0234A357C8AD05341010A60A397D9B",
      ])
    #expect(lines.allSatisfy { TextLayout.width($0) <= 60 })
  }

  @Test(arguments: [(5, ["1", "2", "3", "4"]), (4, ["1", "2", "3", "4"]), (3, ["1", "2", "(2 more lines)"])])
  func `a window shows the first lines`(rows: Int, lines: [String]) {
    #expect(TextLayout.cut(["1", "2", "3", "4"], to: rows) == lines)
  }

  @Test func `JSON is the status, on one line`() throws {
    let json = JSONLine.text(Self.background)
    #expect(!json.contains("\n"))
    #expect(try JSONDecoder().decode(PhoneStatus.self, from: Data(json.utf8)) == Self.background)
  }
}
