import ArgumentParser
import BleperaAir
import BleperaBluetooth
import BleperaHost
import BleperaRules
import Testing

@testable import BleperaCLI
@testable import BleperaCommands

@Suite struct LinkExplanationTests {
  private static let (phone, host) = (AdapterID(0), AdapterID(1))

  @Test(
    arguments: [
      (.ios11, "09050200000000", "02B900"), (.ios18, "09050200000000", "020F02"), (.ios26, nil, "020F02"),
    ] as [(IOSVersion, String?, String)])
  func `what is sent depends on the version`(version: IOSVersion, greeting: String?, exchange: String) throws {
    let packets = LinkExplanation(RuleSet(version)).link
    let short = packets.filter { $0["name"] == "Exchange MTU Request, over a link without data length" }
    #expect(short.map { $0["bytes"] } == (version < .ios15 ? [] : ["02B900"]))
    let greetings = packets.filter { $0["name"] == "frame on channel 003A" }
    #expect(greetings.map { $0["bytes"] } == (greeting == nil ? [] : [greeting, greeting]))
    #expect(packets.last { $0["name"] == "Exchange MTU Request" }?["bytes"] == exchange)
    #expect(packets.allSatisfy { $0["source"]?.allSatisfy(\.isASCII) == true })
  }

  /// Sends what the table has, to a central whose host exchanges the MTU or does not.
  @Test(arguments: IOSVersion.allCases, [true, false])
  func `a phone sends what the table has`(version: IOSVersion, exchangesMTU: Bool) throws {
    let rules = RuleSet(version)
    var description = AdapterDescription(
      address: DeviceAddress(bits: 1), name: "phone", mtu: rules.clientMTU.value)
    description.stack.greeting = rules.greeting
    description.stack.peripheralDiscovery = rules.peripheralDiscovery
    var air = VirtualAir(seed: 1)
    air.startCapture(origin: .zero)
    var events: [AirEvent] = [
      .added(Self.phone, description), .added(Self.host, .controller(address: DeviceAddress(bits: 2), name: "host")),
      .linkLayer(
        Self.phone, .advertise(AdvertisementID(1), AdvertisingPackets(data: [], interval: .milliseconds(100)))),
      .linkLayer(
        Self.host,
        .attempt(
          ConnectionAttempt(
            to: [DeviceAddress(bits: 1)], from: DeviceAddress(bits: 2), ScanWindow(),
            parameters: LinkParameters(interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))))),
    ]
    var sent: [String] = []
    func answer(_ link: ConnectionID, _ bytes: [UInt8]) {
      let frame = [UInt8(bytes.count), 0, 4, 0] + bytes
      events.append(.linkLayer(Self.host, .link(link, .data(LinkData(isStart: true, frame)))))
    }
    for time in 0..<2000 {
      let actions = events.flatMap { air.handle($0, at: .milliseconds(time)) }
      events = [.tick]
      for action in actions {
        switch action {
        case .linkLayer(Self.host, .connected(let link, _)) where exchangesMTU: answer(link, [0x02, 0xB9, 0x00])
        case .linkLayer(Self.host, .link(let link, .data(let data))):
          sent.append(Hex.string(Array(data.bytes.dropFirst(4))))
          if data.bytes[4] == 0x02 { answer(link, [0x03, 0xB9, 0x00]) }
          if data.bytes[4] == 0x10 { answer(link, [0x01, 0x10, 0x01, 0x00, 0x0A]) }
        default: break
        }
      }
    }
    let emulated = rules.openingPackets.filter { $0.role == .peripheral && $0.emulation != .never }
    let absent = exchangesMTU ? "Exchange MTU Request" : "Exchange MTU Response"
    let expected = emulated.filter { !$0.name.hasPrefix("LL_") && !$0.name.hasPrefix(absent) }
    #expect(sent == expected.compactMap { $0.bytes.map { Hex.string($0) } })
    let length = try #require(emulated.first { $0.name.hasPrefix("LL_LENGTH_REQ") }?.bytes)
    #expect(Hex.string(air.takeCapture()).contains(Hex.string(length)))
  }

  @Test func `a phone without data length does not ask for it`() {
    let packets = LinkExplanation(RuleSet(.ios15).with(phoneKind: .upTo6s)).link
    #expect(!packets.contains { $0["name"]?.hasPrefix("LL_LENGTH_REQ") == true })
    #expect(
      packets.filter { $0["name"]?.hasPrefix("Exchange MTU Request") == true }.compactMap { $0["bytes"] } == [
        "02B900", "02B900",
      ])
  }

  @Test(
    arguments: [
      ("--peer-mtu 517", 517, 514, "512 bytes"), ("--peer-mtu 517 --data-length 28", 517, 514, "512 bytes"),
      (
        "--peer-mtu 517 --data-length 27", 185, 182, "182 bytes; a long write of up to 512, in pieces of 180"
      ),
      (
        "--peer-mtu 517 --ios 14", 185, 182, "182 bytes; a long write of up to 512, in pieces of 180"
      ),
      (
        "--peer-mtu 517 --ios 15 --phone-kind 6s", 185, 182, "182 bytes; a long write of up to 512, in pieces of 180"
      ),
      ("--peer-mtu 23", 23, 20, "20 bytes; a long write of up to 512, in pieces of 18"),
      ("--peer-mtu 600", 527, 524, "512 bytes"),
    ])
  func `what an app may send depends on both sides`(words: String, mtu: Int, length: Int, write: String) throws {
    let words = ["explain", "--link"] + words.split(separator: " ").map(String.init)
    let command = try #require(Blepera.parseAsRoot(words) as? ExplainCommand)
    let rules = RuleSet(command.ios, command.phoneKind, like: nil)
    let explanation = LinkExplanation(rules, peerMTU: command.peerMTU, dataLength: command.dataLength)
    let lines = explanation.lines(for: .plain).suffix(4)
    #expect(lines.first?.hasPrefix("ATT_MTU \(mtu), with a peer that offers ") == true)
    #expect(
      lines.dropFirst() == [
        "one notification            \(length) bytes", "one write with response     \(write)",
        "one write without response  \(length) bytes",
      ])
    #expect(LinkExplanation(rules).lengths == nil)
  }

  @Test(
    arguments: [
      ("--peer-mtu 517 a.plist", "'--peer-mtu' requires '--link'."),
      ("--link --data-length 251", "'--data-length' requires '--peer-mtu'."),
      ("--link --peer-mtu 22", "'--peer-mtu' must be from 23 to 65535 bytes, not 22."),
      ("--link --peer-mtu 517 --data-length 252", "'--data-length' must be from 27 to 251 bytes, not 252."),
      ("--link --phone-kind 6s", "'--phone-kind 6s' requires iOS 10 to 15; no such phone runs iOS 26."),
    ])
  func `values that no link has are refused`(words: String, message: String) {
    do {
      _ = try Blepera.parseAsRoot(["explain"] + words.split(separator: " ").map(String.init))
      Issue.record("accepted")
    } catch {
      #expect(Blepera.message(for: error).contains(message))
    }
  }

  @Test func `the option takes no file`() throws {
    let command = try #require(Blepera.parseAsRoot(["explain", "--link", "--ios", "18"]) as? ExplainCommand)
    #expect(command.link && command.ios == .ios18)
    for words in [["a.plist"], ["--state", "background"], ["--experimental"], ["--exact"], ["--controller"]] {
      do {
        _ = try Blepera.parseAsRoot(["explain", "--link"] + words)
        Issue.record("\(words) accepted")
      } catch {
        #expect(Blepera.message(for: error).contains("takes no file"))
      }
    }
  }
}
