import BleperaAir
import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// Connections (Core Specification, Vol 4, Part E, 7.1, 7.5 and 7.8).
extension HCICommand {
  static let connections: [HCICommand] = [
    HCICommand(HCI.disconnect) { controller, end throws(HCIError) in
      guard reasons.contains(end.value.value) else { throw .invalidParameters }
      let link = try controller.begin(.disconnect, end.handle)
      controller.act(.link(link.connection, .disconnect(LinkEnd(rawValue: end.value.value))))
    },
    HCICommand(HCI.readRemoteVersionInformation) { controller, handle throws(HCIError) in
      if try controller.links[handle.value].knowsVersion {
        controller.sendVersion(of: handle.value)
      } else {
        let link = try controller.begin(.version, handle.value)
        controller.act(.link(link.connection, .readVersion))
      }
    },
    // The air has no power: 0 dBm.
    HCICommand(returning: HCI.readTransmitPowerLevel) { controller, level throws(HCIError) in
      _ = try controller.links[level.handle]
      return HCIOfLink(level.handle, 0)
    },
    // The controller has no event of that page.
    HCICommand(HCI.setEventMaskPage2) { _, _ in },
    HCICommand(returning: HCI.readRSSI) { controller, handle throws(HCIError) in
      _ = try controller.links[handle.value]
      return HCIOfLink(handle.value, signal)
    },
    HCICommand(HCI.leCreateConnection, .legacy) { controller, new throws(HCIError) in
      let window = try ScanWindow(new.interval, new.window, isActive: true, most: 0xFFFF)
      try controller.connect(
        to: new.peer, policy: new.policy, ownType: new.ownType, scanning: window, with: new.parameters.request())
    },
    HCICommand(HCI.leCreateConnectionCancel) { controller, _ throws(HCIError) in
      guard controller.links.attempt != nil else { throw .commandDisallowed }
      controller.links.attempt = nil
      controller.act(.attempt(nil))
      var complete = HCIConnectionComplete()
      complete.status = HCIError.unknownConnection.rawValue
      controller.send(complete)
    },
    HCICommand(HCI.leConnectionUpdate) { controller, update throws(HCIError) in
      let request = try update.value.request()
      let link = try controller.begin(.parameters, update.handle)
      // The central's own update answers what the peripheral has asked for.
      controller.links.links[update.handle]?.running.remove(.parameterRequest)
      controller.act(.link(link.connection, link.isCentral ? .update(request.parameters) : .requestParameters(request)))
    },
    // No effect: the air has no interference.
    HCICommand(HCI.leSetHostChannelClassification) { _, channels throws(HCIError) in
      guard channels.octets.contains(where: { $0 != 0 }) else { throw .invalidParameters }
    },
    // All 37 channels.
    HCICommand(returning: HCI.leReadChannelMap) { controller, handle throws(HCIError) in
      _ = try controller.links[handle.value]
      return HCIOfLink(handle.value, HCIChannelMap())
    },
    HCICommand(HCI.leReadRemoteFeatures) { controller, handle throws(HCIError) in
      let link = try controller.begin(.features, handle.value)
      controller.act(.link(link.connection, .readFeatures))
    },
    HCICommand(HCI.leEnableEncryption) { controller, new throws(HCIError) in
      guard try controller.links[new.handle].isCentral else { throw .commandDisallowed }
      let link = try controller.begin(.encryption, new.handle)
      controller.act(
        .link(link.connection, .encrypt(LinkKey(new.key, random: new.random, diversifier: new.diversifier))))
    },
    HCICommand(returning: HCI.leLongTermKeyRequestReply) { controller, reply throws(HCIError) in
      try controller.answer(key: reply.value.value, reply.handle)
    },
    HCICommand(returning: HCI.leLongTermKeyRequestNegativeReply) { controller, handle throws(HCIError) in
      try controller.answer(key: nil, handle.value)
    },
    HCICommand(returning: HCI.leRemoteConnectionParameterRequestReply) { controller, reply throws(HCIError) in
      let request = try reply.value.request()
      let link = try controller.answer(.parameterRequest, reply.handle)
      controller.links.links[reply.handle]?.running.insert(.parameters)
      controller.act(.link(link.connection, .update(request.parameters)))
      return HCINumber(reply.handle)
    },
    HCICommand(returning: HCI.leRemoteConnectionParameterRequestNegativeReply) { controller, reply throws(HCIError) in
      let link = try controller.answer(.parameterRequest, reply.handle)
      controller.act(.link(link.connection, .refuseParameters(reason: reply.value.value)))
      return HCINumber(reply.handle)
    },
    HCICommand(returning: HCI.leSetDataLength) { controller, length throws(HCIError) in
      let link = try controller.begin(.dataLength, length.handle)
      controller.act(.link(link.connection, .setDataLength(Int(length.value.octets))))
      return HCINumber(length.handle)
    },
    HCICommand(returning: HCI.leReadSuggestedDefaultDataLength) { controller, _ in controller.links.suggested },
    HCICommand(HCI.leWriteSuggestedDefaultDataLength) { controller, length in
      controller.links.suggested = length
      controller.act(.dataLength(Int(length.octets)))
    },
    HCICommand(returning: HCI.leReadMaximumDataLength) { _, _ in
      var most = HCIMaximumDataLength()
      most.sent = HCISuggestedDataLength(LinkEvents.longestPDU)
      most.received = most.sent
      return most
    },
    // The air has 1M alone.
    HCICommand(returning: HCI.leReadPHY) { controller, handle throws(HCIError) in
      _ = try controller.links[handle.value]
      return HCIOfLink(handle.value, HCIPHYs())
    },
    HCICommand(HCI.leSetDefaultPHY) { _, preference throws(HCIError) in try preference.check() },
    HCICommand(HCI.leSetPHY) { controller, new throws(HCIError) in
      _ = try controller.links[new.handle]
      try new.preference.check()
      controller.send(HCIPHYUpdate(new.handle))
    },
    HCICommand(returning: HCI.readAuthenticatedPayloadTimeout) { controller, handle throws(HCIError) in
      HCIOfLink(handle.value, try controller.links[handle.value].payloadTimeout)
    },
    // The timeout never expires: what arrives here is always what was sent.
    HCICommand(returning: HCI.writeAuthenticatedPayloadTimeout) { controller, timeout throws(HCIError) in
      _ = try controller.links[timeout.handle]
      guard timeout.value.value > 0 else { throw .invalidParameters }
      controller.links.links[timeout.handle]?.payloadTimeout = timeout.value.value
      return HCINumber(timeout.handle)
    },
    HCICommand(HCI.leExtendedCreateConnection, .extended) { controller, new throws(HCIError) in
      let window = try ScanWindow(new.interval, new.window, isActive: true, most: 0xFFFF)
      try controller.connect(
        to: new.peer, policy: new.policy, ownType: new.ownType, scanning: window, with: new.parameters.request())
    },
  ]

  /// The reasons that Disconnect takes (7.1.6).
  private static let reasons: [UInt8] = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]
  /// In dBm, of a device within reach; ours.
  private static let signal: Int8 = -50
}

extension HCIConnectionParameters {
  /// The length of events has no effect.
  fileprivate func request() throws(HCIError) -> LinkParameterRequest {
    guard let request = LinkParameterRequest(from: least, to: most, latency: latency, timeout: timeout) else {
      throw .invalidParameters
    }
    return request
  }
}

extension HCIPHYPreference {
  /// Checks the PHYs that a host prefers in each direction: they include 1M, unless the host has no preference.
  fileprivate func check() throws(HCIError) {
    for (direction, phys) in [sent, received].enumerated() where hasNone >> direction & 1 == 0 {
      guard phys & 1 != 0 else { throw phys == 0 ? .invalidParameters : .unsupportedFeature }
    }
  }
}

extension HCIController {
  fileprivate mutating func answer(key: UInt128?, _ handle: UInt16) throws(HCIError) -> HCI.Handle {
    let link = try answer(.keyRequest, handle)
    act(.link(link.connection, .key(key)))
    return HCINumber(handle)
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
