import Testing

@testable import BleperaController

@Suite("Where the phone finds its controller")
struct ControllerPlaceTests {
  @Test(
    "The forms of a place, and how each is printed",
    arguments: [
      ("hci0", .kernel(0), nil), ("hci12", .kernel(12), nil),
      ("tcp:127.0.0.1:6402", .tcp(host: "127.0.0.1", port: 6402), nil),
      ("tcp:[::1]:1", .tcp(host: "::1", port: 1), nil),
      ("tcp:board.local:7300", .tcp(host: "board.local", port: 7300), nil),
      ("tcp:[board]:65535", .tcp(host: "board", port: 65535), "tcp:board:65535"),
      ("unix:/run/hci", .unix(path: "/run/hci"), nil), ("unix:a:b", .unix(path: "a:b"), nil),
      ("serial:/dev/ttyACM0", .serial(path: "/dev/ttyACM0", rate: 1_000_000), nil),
      ("serial:/dev/ttyUSB0,115200", .serial(path: "/dev/ttyUSB0", rate: 115_200), nil),
      ("serial:/dev/ttyS1,1000000", .serial(path: "/dev/ttyS1", rate: 1_000_000), "serial:/dev/ttyS1"),
    ] as [(String, ControllerPlace, String?)])
  func forms(text: String, place: ControllerPlace, printed: String?) throws {
    #expect(try ControllerPlace(text) == place)
    #expect("\(place)" == printed ?? text)
    let isKernel = text.hasPrefix("hci")
    #expect(place.isPacketed == isKernel && (place.effects != nil) == isKernel)
  }

  @Test(
    "Any other text is refused with a sentence that shows the right form",
    arguments: [
      ("", "'' is not a controller: use hci0, tcp:HOST:PORT, unix:PATH or serial:PATH[,BAUD]."),
      ("6402", "'6402' is not a controller: use hci0, tcp:HOST:PORT, unix:PATH or serial:PATH[,BAUD]."),
      ("usb:0", "'usb:0' is not a controller: use hci0, tcp:HOST:PORT, unix:PATH or serial:PATH[,BAUD]."),
      ("hci", "'hci' is not a controller: use hci0, tcp:HOST:PORT, unix:PATH or serial:PATH[,BAUD]."),
      ("hci-1", "'hci-1' is not a controller: use hci0, tcp:HOST:PORT, unix:PATH or serial:PATH[,BAUD]."),
      ("hci65535", "'hci65535' is not a controller: use hci0, tcp:HOST:PORT, unix:PATH or serial:PATH[,BAUD]."),
      ("tcp:", "'tcp:' has no port from 1 to 65535 at its end, as in tcp:127.0.0.1:6402."),
      ("tcp:6402", "'tcp:6402' has no host before the port, as in tcp:localhost:6402."),
      ("tcp::6402", "'tcp::6402' has no host before the port, as in tcp:localhost:6402."),
      ("tcp:a:0", "'tcp:a:0' has no port from 1 to 65535 at its end, as in tcp:127.0.0.1:6402."),
      ("tcp:a:+1", "'tcp:a:+1' has no port from 1 to 65535 at its end, as in tcp:127.0.0.1:6402."),
      ("tcp:a:65536", "'tcp:a:65536' has no port from 1 to 65535 at its end, as in tcp:127.0.0.1:6402."),
      ("tcp:::1:6402", "'tcp:::1:6402': put the IPv6 address in brackets, as in tcp:[::1]:6402."),
      ("unix:", "'unix:' has no path of 1 to 107 bytes, as in unix:/run/hci."),
      (
        "serial:",
        "'serial:' is not serial:PATH or serial:PATH,BAUD, as in serial:/dev/ttyACM0,115200."
      ),
      (
        "serial:/dev/x,",
        "'serial:/dev/x,' is not serial:PATH or serial:PATH,BAUD, as in serial:/dev/ttyACM0,115200."
      ),
      (
        "serial:/dev/x,fast",
        "'serial:/dev/x,fast' is not serial:PATH or serial:PATH,BAUD, as in serial:/dev/ttyACM0,115200."
      ),
      (
        "serial:/dev/x,0",
        "'serial:/dev/x,0' is not serial:PATH or serial:PATH,BAUD, as in serial:/dev/ttyACM0,115200."
      ),
    ])
  func others(text: String, sentence: String) {
    #expect { try ControllerPlace(text) } throws: { "\($0)" == sentence }
  }

  @Test("A path that a socket has no room for is refused")
  func longPath() {
    #expect(throws: Never.self) { try ControllerPlace("unix:" + String(repeating: "p", count: 107)) }
    #expect(throws: ControllerPlace.Invalid.self) { try ControllerPlace("unix:" + String(repeating: "p", count: 108)) }
  }

  @Test(
    "A failure says where, why, and what to do",
    arguments: [
      (
        1,
        "hci0 cannot be opened: the capability CAP_NET_ADMIN is missing; "
          + "use the system unit blepera-controller, or start with sudo"
      ),
      (
        132,
        "hci0 cannot be opened: rfkill blocks the adapter; "
          + "run 'rfkill unblock bluetooth', or use the machine's switch"
      ),
      (
        16,
        "hci0 cannot be opened: another program has the adapter by the kernel's user channel, or the kernel still sets "
          + "the adapter up; end the other program, or plug the adapter in again"
      ),
      (22, "hci0 cannot be opened: Invalid argument; check that the controller is there, and start it first"),
    ] as [(CInt, String)])
  func failures(error: CInt, text: String) { #expect("\(ControllerFailure(.kernel(0), channel: error))" == text) }

  @Test("A failure lists the adapters that the machine has")
  func adapters() {
    #expect(
      ControllerFailure(.kernel(3), .noAdapter(["hci0", "hci1"])).description
        == "hci3 cannot be opened: there is no such adapter; the machine has hci0, hci1; use hci0, or plug the adapter in"
    )
    #expect(
      ControllerFailure(.kernel(0), .noAdapter([])).description
        == "hci0 cannot be opened: the machine has no Bluetooth adapter; plug one in")
  }
}
