import BleperaAir
import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// Connections (Core Specification, Vol 4, Part E, 7.1, 7.5 and 7.8).
extension HCICommand {
  static let connections: [HCICommand] = [
    HCICommand(.disconnect, (0, 5), isStatus: true) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      let reason = LinkEnd(rawValue: try fields.uint8())
      guard Self.reasons.contains(reason.rawValue) else { throw .invalidParameters }
      let link = try controller.begin(.disconnect, handle)
      controller.act(.link(link.connection, .disconnect(reason)))
      return []
    },
    HCICommand(.readRemoteVersionInformation, (2, 7), isStatus: true) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      if try controller.links[handle].knowsVersion {
        controller.sendVersion(of: handle)
      } else {
        let link = try controller.begin(.version, handle)
        controller.act(.link(link.connection, .readVersion))
      }
      return []
    },
    // The air has no power: 0 dBm.
    HCICommand(.readTransmitPowerLevel, (10, 2), returns: 3) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      _ = try fields.uint8(in: 0...1)
      _ = try controller.links[handle]
      return LittleEndian.bytes(handle) + [0]
    },
    // The controller has no event of that page.
    HCICommand(.setEventMaskPage2, (22, 2)) { _, fields throws(HCIError) in
      _ = try fields.uint64()
      return []
    },
    HCICommand(.readRSSI, (15, 5), returns: 3) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      _ = try controller.links[handle]
      return LittleEndian.bytes(handle) + [UInt8(bitPattern: Self.signal)]
    },
    HCICommand(.leCreateConnection, (26, 4), .legacy, isStatus: true) { controller, fields throws(HCIError) in
      let window = try Self.connectionWindow(&fields)
      let policy = try fields.uint8(in: 0...1)
      let peer = try fields.typedAddress()
      let ownType = try fields.uint8(in: 0...3)
      try controller.connect(
        to: peer, policy: policy, ownType: ownType, scanning: window, with: try Self.parameters(&fields))
      return []
    },
    HCICommand(.leCreateConnectionCancel, (26, 5)) { controller, _ throws(HCIError) in
      guard controller.links.attempt != nil else { throw .commandDisallowed }
      controller.links.attempt = nil
      controller.act(.attempt(nil))
      controller.sendConnectionComplete(
        [HCIError.unknownConnection.rawValue, 0, 0, 0], to: DeviceAddress(bits: 0), from: nil,
        [UInt8](repeating: 0, count: 7))
      return []
    },
    HCICommand(.leConnectionUpdate, (27, 2), isStatus: true) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      let request = try Self.parameters(&fields)
      let link = try controller.begin(.parameters, handle)
      // The central's own update answers what the peripheral has asked for.
      controller.links.links[handle]?.running.remove(.parameterRequest)
      controller.act(.link(link.connection, link.isCentral ? .update(request.parameters) : .requestParameters(request)))
      return []
    },
    // No effect: the air has no interference.
    HCICommand(.leSetHostChannelClassification, (27, 3)) { _, fields throws(HCIError) in
      guard try fields.bytes(5).contains(where: { $0 != 0 }) else { throw .invalidParameters }
      return []
    },
    // All 37 channels.
    HCICommand(.leReadChannelMap, (27, 4), returns: 7) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      _ = try controller.links[handle]
      return LittleEndian.bytes(handle) + [0xFF, 0xFF, 0xFF, 0xFF, 0x1F]
    },
    HCICommand(.leReadRemoteFeatures, (27, 5), isStatus: true) { controller, fields throws(HCIError) in
      let link = try controller.begin(.features, try fields.uint16())
      controller.act(.link(link.connection, .readFeatures))
      return []
    },
    HCICommand(.leEnableEncryption, (28, 0), isStatus: true) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      let (random, diversifier) = (try fields.uint64(), try fields.uint16())
      let key = LinkKey(try fields.uint128(), random: random, diversifier: diversifier)
      guard try controller.links[handle].isCentral else { throw .commandDisallowed }
      let link = try controller.begin(.encryption, handle)
      controller.act(.link(link.connection, .encrypt(key)))
      return []
    },
    HCICommand(.leLongTermKeyRequestReply, (28, 1), returns: 2) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      return try controller.answer(key: try fields.uint128(), handle)
    },
    HCICommand(.leLongTermKeyRequestNegativeReply, (28, 2), returns: 2) { controller, fields throws(HCIError) in
      try controller.answer(key: nil, try fields.uint16())
    },
    HCICommand(.leRemoteConnectionParameterRequestReply, (33, 4), returns: 2) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      let request = try Self.parameters(&fields)
      let link = try controller.answer(.parameterRequest, handle)
      controller.links.links[handle]?.running.insert(.parameters)
      controller.act(.link(link.connection, .update(request.parameters)))
      return LittleEndian.bytes(handle)
    },
    HCICommand(.leRemoteConnectionParameterRequestNegativeReply, (33, 5), returns: 2) {
      controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      let reason = try fields.uint8()
      let link = try controller.answer(.parameterRequest, handle)
      controller.act(.link(link.connection, .refuseParameters(reason: reason)))
      return LittleEndian.bytes(handle)
    },
    HCICommand(.leSetDataLength, (33, 6), returns: 2) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      let (octets, _) = try Self.dataLength(&fields)
      let link = try controller.begin(.dataLength, handle)
      controller.act(.link(link.connection, .setDataLength(Int(octets))))
      return LittleEndian.bytes(handle)
    },
    HCICommand(.leReadSuggestedDefaultDataLength, (33, 7), returns: 4) { controller, _ throws(HCIError) in
      LittleEndian.bytes(controller.links.suggested.octets) + LittleEndian.bytes(controller.links.suggested.time)
    },
    HCICommand(.leWriteSuggestedDefaultDataLength, (34, 0)) { controller, fields throws(HCIError) in
      controller.links.suggested = try Self.dataLength(&fields)
      controller.act(.dataLength(Int(controller.links.suggested.octets)))
      return []
    },
    HCICommand(.leReadMaximumDataLength, (35, 3), returns: 8) { _, _ throws(HCIError) in
      let length = LittleEndian.bytes(UInt16(LinkEvents.longestPDU)) + LittleEndian.bytes(Self.longestTime)
      return length + length
    },
    // The air has 1M alone.
    HCICommand(.leReadPHY, (35, 4), returns: 4) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      _ = try controller.links[handle]
      return LittleEndian.bytes(handle) + [1, 1]
    },
    HCICommand(.leSetDefaultPHY, (35, 5)) { _, fields throws(HCIError) in
      try Self.checkPHYs(&fields)
      return []
    },
    HCICommand(.leSetPHY, (35, 6), isStatus: true) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      _ = try controller.links[handle]
      try Self.checkPHYs(&fields)
      _ = try fields.uint16()
      controller.send(subevent: 0x0C, [0] + LittleEndian.bytes(handle) + [1, 1])
      return []
    },
    HCICommand(.readAuthenticatedPayloadTimeout, (32, 4), returns: 4) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      return LittleEndian.bytes(handle) + LittleEndian.bytes(try controller.links[handle].payloadTimeout)
    },
    // The timeout never expires: what arrives here is always what was sent.
    HCICommand(.writeAuthenticatedPayloadTimeout, (32, 5), returns: 2) { controller, fields throws(HCIError) in
      let handle = try fields.uint16()
      let timeout = try fields.uint16()
      _ = try controller.links[handle]
      guard timeout > 0 else { throw .invalidParameters }
      controller.links.links[handle]?.payloadTimeout = timeout
      return LittleEndian.bytes(handle)
    },
    // The air has one PHY.
    HCICommand(.leExtendedCreateConnection, (37, 7), .extended, isStatus: true) { controller, fields throws(HCIError) in
      let policy = try fields.uint8(in: 0...1)
      let ownType = try fields.uint8(in: 0...3)
      let peer = try fields.typedAddress()
      let phys = try fields.uint8()
      guard phys & 1 != 0 else { throw phys == 0 ? .invalidParameters : .unsupportedFeature }
      let window = try Self.connectionWindow(&fields)
      try controller.connect(
        to: peer, policy: policy, ownType: ownType, scanning: window, with: try Self.parameters(&fields))
      return []
    },
  ]

  /// The reasons that Disconnect takes (7.1.6).
  private static let reasons: [UInt8] = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]
  /// In dBm, of a device within reach; ours.
  private static let signal: Int8 = -50
  private static let longestTime = UInt16(LinkEvents.airTime(of: LinkEvents.longestPDU))

  /// Interval and window of an initiator, in units of 0.625 ms.
  private static func connectionWindow(_ fields: inout HCIFields) throws(HCIError) -> ScanWindow {
    try window(try fields.uint16(), try fields.uint16(), true, most: 0xFFFF)
  }

  /// Intervals, latency and timeout, followed by the length of events, which has no effect.
  private static func parameters(_ fields: inout HCIFields) throws(HCIError) -> LinkParameterRequest {
    let (least, most) = (try fields.uint16(), try fields.uint16())
    let (latency, timeout) = (try fields.uint16(), try fields.uint16())
    _ = (try fields.uint16(), try fields.uint16())
    guard let request = LinkParameterRequest(from: least, to: most, latency: latency, timeout: timeout) else {
      throw .invalidParameters
    }
    return request
  }

  /// Checks the PHYs that a host prefers in each direction: they include 1M, unless the host has no preference.
  private static func checkPHYs(_ fields: inout HCIFields) throws(HCIError) {
    let hasNone = try fields.uint8(in: 0...3)
    for direction in 0..<2 {
      let phys = try fields.uint8(in: 0...7)
      guard hasNone >> direction & 1 == 0 else { continue }
      guard phys & 1 != 0 else { throw phys == 0 ? .invalidParameters : .unsupportedFeature }
    }
  }

  private static func dataLength(_ fields: inout HCIFields) throws(HCIError) -> (octets: UInt16, time: UInt16) {
    let (octets, time) = (try fields.uint16(), try fields.uint16())
    guard (27...251).contains(octets), (328...0x4290).contains(time) else { throw .invalidParameters }
    return (octets, time)
  }
}

extension HCIController {
  fileprivate mutating func answer(key: UInt128?, _ handle: UInt16) throws(HCIError) -> [UInt8] {
    let link = try answer(.keyRequest, handle)
    act(.link(link.connection, .key(key)))
    return LittleEndian.bytes(handle)
  }

  fileprivate mutating func connect(
    to peer: DeviceAddress, policy: UInt8, ownType: UInt8, scanning window: ScanWindow,
    with request: LinkParameterRequest
  ) throws(HCIError) {
    guard links.attempt == nil else { throw .commandDisallowed }
    guard links.links.count < HCILinks.limit else { throw .limitExceeded }
    let identities = policy == 1 ? acceptList : [peer]
    guard policy == 1 || !links.links.values.contains(where: { $0.peer == peer }) else { throw .connectionExists }
    let peers = resolver.peers(identities)
    let known = resolver.entries.first { identities.contains($0.identity) && $0.ownKey != nil }?.identity
    let attempt = ConnectionAttempt(
      to: peers.addresses, resolvedBy: peers.keys, from: try ownAddress(ownType, randomAddress, towards: known), window,
      parameters: request.parameters)
    links.attempt = HCILinks.Attempt(usesAcceptList: policy == 1)
    act(.attempt(attempt))
  }
}
