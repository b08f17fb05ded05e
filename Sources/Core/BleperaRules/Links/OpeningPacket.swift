import BleperaBluetooth

/// A packet that a phone sends in the first second of a connection, or in answer to a packet that it then receives.
package struct OpeningPacket: Sendable {
  package enum Role: String, Sendable {
    case peripheral, central
  }

  /// The cases in which an emulated phone sends the packet.
  package enum Emulation: String, Sendable {
    case always
    case phoneServices
    /// Centrals of stories and scenarios that are apps on an iPhone send the packet.
    case stories
    /// Centrals of stories and scenarios send the packet with another value, at another time or in another order.
    case differently
    case never
  }

  package let role: Role
  /// The time after the connection, or the packet that this packet follows.
  package let time: String
  package let name: String
  /// Nil where the bytes depend on the peer.
  package let bytes: [UInt8]?
  package let standing: Standing
  package let source: String
  package let emulation: Emulation
}

extension RuleSet {
  /// The first frame of the phone, on channel 003A; nil for none.
  package var greeting: [UInt8]? { version < .ios26 ? [0x09, 0x05, 0x02, 0, 0, 0, 0] : nil }

  /// When the phone, as a peripheral, discovers the services of the central.
  package var peripheralDiscovery: Duration { .milliseconds(400) }

  /// In the order in which they are sent.
  package var openingPackets: [OpeningPacket] { openingOfPeripheral + openingOfCentral }

  private var openingOfPeripheral: [OpeningPacket] {
    let time = "\(Int(peripheralDiscovery / .milliseconds(1))) ms"
    let noCapture = "no capture of an iPhone as the peripheral has this packet"
    return rows(
      .peripheral,
      [
        lengthRequest.map {
          ("first event", "LL_LENGTH_REQ, unless the central has sent one", $0, .ours, noCapture, .always)
        },
        greeting.map {
          (
            "first event", "frame on channel 003A", $0, .ours, "iPhones as the central send it (see the central)",
            .phoneServices
          )
        },
        (
          "request", "Exchange MTU Response", Self.exchange(0x03, clientMTU.value), .ours,
          "the value is that of a client, for each data length, and --mtu chooses; one iPhone answered 512 (bluez issue "
            + "1108), iOS 18.5 nothing (1528)",
          .always
        ),
        (
          time, "Exchange MTU Request, unless the central has sent one", Self.exchange(0x02, clientMTU.value), .ours,
          "the central of noble issue 127 had sent one", .phoneServices
        ),
        (
          time, "Read By Group Type Request, 2800 from 0001, and so on until an error", Self.primaryServices, .measured,
          "an iPhone of 2015 (noble issue 127)", .phoneServices
        ),
        ("never", "Security Request", nil, .ours, noCapture, .always),
        ("never", "Connection Parameter Update Request", nil, .ours, noCapture, .always),
        (
          "encryption", "indication of Service Changed, 000A to FFFF, to a bonded central",
          [0x1D, 0x08, 0x00, 0x0A, 0x00, 0xFF, 0xFF], .measured, "\(Self.iPhone17), to 4 of 4 peripherals", .never
        ),
      ])
  }

  private var openingOfCentral: [OpeningPacket] {
    let short = offeredMTU(overDataLength: DataLength.range.lowerBound)
    let first: (String, String, [UInt8]?, Standing, String, OpeningPacket.Emulation) =
      if let greeting {
        (
          "first", "frame on channel 003A", greeting, version == .ios10 ? .measured : .reported,
          "an iPhone of 2016 (bleno issue 240); iPhones of 2024 and 2025 (embassy-rs/trouble issues 82 and 310)", .never
        )
      } else {
        (
          "never", "frame on channel 003A, but to Apple's items 09050B33150000", nil,
          .measured, "\(Self.iPhone17): 18 of 18 links to items, none of 4 others", .always
        )
      }
    return rows(
      .central,
      [
        (
          "0 ms", "CONNECT_IND: 30 ms, latency 0, timeout 720 ms", [0x18, 0, 0, 0, 0x48, 0], .measured,
          "iPhone 6, iOS 11 (davidgyoung/ios-overflow-area); \(Self.iPhone17), 22 of 22 links", .stories
        ),
        lengthRequest.map { ("12 to 60 ms", "LL_LENGTH_REQ", $0, .measured, Self.iPhone17, .stories) },
        (
          "330 to 870 ms", "LL_ENC_REQ, to a bonded peripheral", nil, .measured, "\(Self.iPhone17), end of encryption",
          .differently
        ),
        (
          "480 ms", "LL_PHY_REQ, 2M", [0x16, 0x02, 0x02], .measured,
          "\(Self.iPhone17): to 18 of 18 items, to none of 4 others", .never
        ),
        first,
        (
          "then", "Exchange MTU Request", Self.exchange(0x02, clientMTU.value), clientMTU.standing, clientMTU.source,
          .always
        ),
        (short < clientMTU.value ? short : nil).map {
          (
            "then", "Exchange MTU Request, over a link without data length", Self.exchange(0x02, $0),
            shortPacketMTU.standing, shortPacketMTU.source, .always
          )
        },
        (
          "then", "Read By Group Type Request, 2800 from 0001, and so on until an error", Self.primaryServices,
          .measured, "an iPhone of 2016 (bleno issue 240)", .stories
        ),
        (
          "then", "Read By Type Request, 2803 in each service; Find Information Request between", nil, .measured,
          "an iPhone of 2016 (bleno issue 240)", .differently
        ),
        (
          "then", "Read By Type Request, 2A00 in Generic Access", nil, .measured, "an iPhone of 2015 (noble issue 243)",
          .differently
        ),
        (
          "then", "Write Request to the configuration of Service Changed", nil, .measured,
          "iPhone 16 Pro Max, iOS 27 beta (even-g2, bt.pklg)", .stories
        ),
        (
          "request", "Connection Parameter Update Response, accepted", [0x13, 0x01, 0x02, 0, 0, 0], .measured,
          "\(Self.iPhone17): 16 of 16, within 1 ms", .never
        ),
        (
          "error 05", "Pairing Request", [0x01, 0x04, 0, 0x0D, 0x10, 0x03, 0x03],
          version == .ios10 ? .measured : .ours, "an iPhone of 2015 (noble issue 243); none later is published",
          .differently
        ),
      ])
  }

  private static let iPhone17 = "iPhone 17 Pro Max, iOS 26.5.1 (Bafang-RideSync, bluetoothd-hci-latest.pklg)"
  /// The lengths in LL_LENGTH_REQ: 251 octets and 2120 us in both directions; nil from a phone without data length.
  private var lengthRequest: [UInt8]? {
    dataLength.value > DataLength.range.lowerBound ? [0x14, 0xFB, 0x00, 0x48, 0x08, 0xFB, 0x00, 0x48, 0x08] : nil
  }
  private static let primaryServices: [UInt8] = [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28]

  private static func exchange(_ opcode: UInt8, _ mtu: Int) -> [UInt8] { [opcode] + LittleEndian.bytes(UInt16(mtu)) }

  private func rows(
    _ role: OpeningPacket.Role,
    _ rows: [(String, String, [UInt8]?, Standing, String, OpeningPacket.Emulation)?]
  ) -> [OpeningPacket] {
    rows.compactMap(\.self).map { time, name, bytes, standing, source, emulation in
      OpeningPacket(
        role: role, time: time, name: name, bytes: bytes, standing: standing, source: source, emulation: emulation)
    }
  }
}
