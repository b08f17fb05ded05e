import Testing

@testable import BleperaHCI

@Suite("Where a host finds a controller")
struct HCIEndpointTests {
  @Test(
    "The forms of an endpoint",
    arguments: [
      ("tcp:9000", HCIEndpoint.Place.tcp(host: "127.0.0.1", port: 9000)), ("tcp:0", .tcp(host: "127.0.0.1", port: 0)),
      ("tcp:localhost:1", .tcp(host: "127.0.0.1", port: 1)), ("tcp:0.0.0.0:80", .tcp(host: "0.0.0.0", port: 80)),
      ("unix:/run/hci", .unix(path: "/run/hci")), ("unix:a:b", .unix(path: "a:b")), ("pty", .pty),
    ])
  func forms(text: String, place: HCIEndpoint.Place) {
    #expect(HCIEndpoint(text)?.place == place && HCIEndpoint(text)?.isLegacy == false)
    #expect(HCIEndpoint(text + ",legacy")?.place == place && HCIEndpoint(text + ",legacy")?.isLegacy == true)
    let both = HCIEndpoint(text + ",strict,legacy")
    #expect(both?.place == place && both?.isLegacy == true && both?.isStrict == true && both?.isDual == false)
    let dual = HCIEndpoint(text + ",dual,legacy")
    #expect(dual?.place == place && dual?.isLegacy == true && dual?.isStrict == false && dual?.isDual == true)
  }

  @Test(
    "Any other text is refused",
    arguments: [
      "", "tcp", "tcp:", "tcp:65536", "tcp:-1", "tcp:a:1", "tcp:1:2:3", "unix:", "pty:1", "9000", ",legacy", "pty,new",
    ])
  func others(text: String) { #expect(HCIEndpoint(text) == nil) }
}
