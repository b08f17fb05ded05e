import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("Signals of L2CAP channels")
struct ChannelSignalTests {
  @Test("A request, its answer and what follows are those of the specification")
  func frames() throws {
    let link = ConnectionID(1)
    var host = HostStack.box(StackBehavior())
    host.open(link, .test(isCentral: false), random: .seeded(SplitMix64(seed: 1)))
    func sent() -> [String] {
      host.takeOutputs().compactMap { output in
        guard case .link(_, .data(let data)) = output else { return nil }
        return Hex.string(Array(data.bytes.dropFirst(2)), separator: " ")
      }
    }
    func receive(_ payload: String, on channel: UInt16 = L2CAPFrame.signaling) throws {
      let bytes = try #require(Hex.bytes(payload.filter { $0 != " " }))
      host.receive(.data(LinkData(isStart: true, L2CAPFrame(channel: channel, payload: bytes).bytes)), over: link)
    }
    host.openChannel(OperationID(1), over: link, L2CAPPSM(rawValue: 0x85))
    #expect(sent() == ["05 00 14 01 0A 00 85 00 40 00 F5 00 F7 00 20 00"])
    try receive("15 01 0A 00 00 00 00 00 00 00 00 00 02 00")
    #expect(host.channels.isEmpty)
    host.openChannel(OperationID(2), over: link, L2CAPPSM(rawValue: 0x85))
    #expect(sent() == ["05 00 14 02 0A 00 85 00 40 00 F5 00 F7 00 20 00"])
    try receive("15 02 0A 00 51 00 F5 00 F7 00 01 00 00 00")
    let end = ChannelEnd(link, 0x40)
    host.writeChannel(end, [7, 8])
    #expect(sent() == ["51 00 02 00 07 08"])
    host.writeChannel(end, [9])
    #expect(sent() == [])
    try receive("16 07 04 00 51 00 05 00")
    #expect(sent() == ["51 00 01 00 09"])
    for _ in 0..<16 { try receive("01 00 05", on: 0x40) }
    host.readChannel(end, count: 16)
    #expect(sent() == ["05 00 16 03 04 00 40 00 10 00"])
    host.closeChannel(end)
    #expect(sent() == ["05 00 06 04 04 00 51 00 40 00"])
    try receive("07 04 04 00 51 00 40 00")
    #expect(host.channels.isEmpty && sent() == [])
  }

  @Test("An answer belongs to the request with its identifier, whichever comes first")
  func identifiers() {
    var test = HostBench(.phone)
    for (operation, psm) in [(OperationID(1), UInt16(0x80)), (OperationID(2), 0x81)] {
      test.host.openChannel(operation, over: HostBench.link, L2CAPPSM(rawValue: psm))
    }
    // The first response is for an unknown request, the second has an invalid number.
    test.signal("15 07 0A00 5000 4000 4000 0100 0000")
    #expect(test.results.isEmpty && test.host.channels.count == 2)
    test.signal("15 02 0A00 0000 0000 0000 0000 0200")
    test.signal("15 01 0A00 4100 4000 4000 0100 0000")
    test.signal("15 01 0A00 4200 4000 4000 0100 0000")
    let expected: [HostAction] = [
      .completed(OperationID(2), .failure(.channel(.unknownPSM))),
      .completed(OperationID(1), .success(.value([0x40, 0]))),
    ]
    #expect(test.actions == expected)
    #expect(test.host.channels.values.map(\.peer?.channel) == [0x41])
    // The peer may not use one number for two channels.
    test.host.openChannel(OperationID(3), over: HostBench.link, HostBench.psm)
    test.signal("15 03 0A00 4100 4000 4000 0100 0000")
    #expect(test.results.last == .failure(.channel(.other(0x000B))))
  }

  @Test("A peer that does not know such channels rejects the request, which fails it")
  func rejected() {
    var test = HostBench(.phone)
    test.host.openChannel(OperationID(1), over: HostBench.link, HostBench.psm)
    test.signal("01 02 0200 0000")
    #expect(test.results.isEmpty)
    test.signal("01 01 0200 0000")
    #expect(test.results == [.failure(.channel(.unanswered))] && test.host.channels.isEmpty)
  }

  @Test("The number of a channel is free when the peer has answered the request to close it")
  func left() {
    for answer in ["07 02 0400 4100 4000", "01 02 0600 0200 4100 4000"] {
      var test = HostBench(.phone)
      let end = test.openChannel(credits: 1)
      test.host.closeChannel(end)
      for other in ["07 01 0400 4100 4000", "07 02 0400 4200 4000"] { test.signal(other) }
      #expect(test.host.channels.count == 1)
      test.signal(answer)
      #expect(test.host.channels.isEmpty)
    }
  }

  @Test("An identifier is not used again while its request is not answered")
  func oneIdentifier() {
    var test = HostBench(.phone)
    test.host.openChannel(OperationID(1), over: HostBench.link, HostBench.psm)
    for number in 2...255 {
      test.host.openChannel(OperationID(2), over: HostBench.link, HostBench.psm)
      test.signal("15 \(Hex.string([UInt8(number)])) 0A00 0000 0000 0000 0000 0200")
    }
    #expect(test.results.count == 254)
    test.host.openChannel(OperationID(3), over: HostBench.link, HostBench.psm)
    test.run()
    #expect(test.sent.last?.hasPrefix("1402") == true)
  }
}
