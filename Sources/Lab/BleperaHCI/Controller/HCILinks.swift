import BleperaAir
package import BleperaBluetooth
import BleperaHCIProtocol
package import BleperaHost

/// The connections of a host.
struct HCILinks: Sendable {
  struct Link: Sendable {
    let connection: ConnectionID
    let isCentral: Bool
    /// The identity address where the resolving list has it.
    let peer: DeviceAddress
    var parameters: LinkParameters
    /// The data that the other side has not acknowledged.
    var unsent = 0
    /// Whether the version of the other side is known, which is exchanged once.
    var knowsVersion = false
    var running: Set<Procedure> = []
    /// In units of 10 ms.
    var payloadTimeout: UInt16 = 3000
  }

  /// A procedure on a connection, one of each kind at a time: those that the host has begun, and last the requests of
  /// the other side that the host has not answered.
  enum Procedure: Sendable {
    case disconnect, features, version, parameters, dataLength, encryption
    case keyRequest, parameterRequest
  }

  struct Attempt: Sendable {
    /// Whether the attempt is to the addresses of the filter accept list.
    let usesAcceptList: Bool
  }

  var links: [UInt16: Link] = [:]
  /// Nil while the host does not try to connect.
  var attempt: Attempt?
  /// The values of LE Write Suggested Default Data Length.
  var suggested = HCISuggestedDataLength()

  /// How many connections there are room for.
  static let limit = 8
  /// How many packets the host may have sent that are not acknowledged, of all connections.
  static let buffers = 8
  private static let firstHandle: UInt16 = 0x0040

  subscript(handle: UInt16) -> Link {
    get throws(HCIError) {
      guard let link = links[handle] else { throw .unknownConnection }
      return link
    }
  }

  func handle(of connection: ConnectionID) -> UInt16? { links.first { $0.value.connection == connection }?.key }

  /// The number of the new connection; nil if there is no room.
  mutating func add(_ link: Link) -> UInt16? {
    let handles = Self.firstHandle..<Self.firstHandle + UInt16(Self.limit)
    guard let handle = handles.first(where: { links[$0] == nil }) else { return nil }
    links[handle] = link
    return handle
  }
}

extension HCIController {
  /// Begins a procedure of a link, unless one of its kind runs.
  mutating func begin(_ procedure: HCILinks.Procedure, _ handle: UInt16) throws(HCIError) -> HCILinks.Link {
    let link = try links[handle]
    guard links.links[handle]?.running.insert(procedure).inserted == true else { throw .commandDisallowed }
    return link
  }

  /// Ends a request of the other side, which the host answers.
  mutating func answer(_ request: HCILinks.Procedure, _ handle: UInt16) throws(HCIError) -> HCILinks.Link {
    let link = try links[handle]
    guard links.links[handle]?.running.remove(request) != nil else { throw .commandDisallowed }
    return link
  }

  /// The air has made a connection.
  ///
  /// - Parameter set: the advertising set that the central has answered; nil where the host is the central.
  package mutating func connected(
    _ connection: ConnectionID, to peer: DeviceAddress, from own: DeviceAddress, _ parameters: LinkParameters,
    set: UInt8?, at now: Duration
  ) -> [Output] {
    turn(at: now) { controller in
      // After Reset or LE Create Connection Cancel the host does not expect a connection that was due.
      let isExpected = set.map { controller.advertiser.sets[$0] != nil } ?? (controller.links.attempt != nil)
      if set == nil { controller.links.attempt = nil }
      if let set { controller.advertiser.sets[set]?.isEnabled = false }
      let link = HCILinks.Link(
        connection: connection, isCentral: set == nil, peer: controller.resolver.identity(of: peer) ?? peer,
        parameters: parameters)
      guard isExpected, let handle = controller.links.add(link) else {
        return controller.act(.link(connection, .disconnect(.userTerminated)))
      }
      var complete = HCIConnectionComplete()
      (complete.handle, complete.isCentral, complete.peer) = (handle, link.isCentral, peer)
      (complete.interval, complete.timeout) = parameters.units
      complete.latency = parameters.latency
      controller.send(complete, from: own)
      // LE Advertising Set Terminated (7.7.65.18), by which the host learns the address of the connection.
      if let set, set != HCIAdvertiser.legacyHandle {
        controller.send(HCISetTerminated(set, handle: handle))
      }
    }
  }

  /// Sends LE Enhanced Connection Complete, with the private addresses that the resolving list has, if the mask lets
  /// the event through, else LE Connection Complete (7.7.65.1 and 7.7.65.10).
  mutating func send(_ complete: HCIConnectionComplete, from own: DeviceAddress? = nil) {
    guard passes(HCIEnhancedConnectionComplete.code) else { return send(HCILEConnectionComplete(complete)) }
    var enhanced = complete
    (enhanced.peer, enhanced.isResolved) = eventAddress(complete.peer)
    enhanced.peerPrivate = enhanced.isResolved ? complete.peer : nil
    enhanced.ownPrivate = resolver.entries.lazy.compactMap(\.ownAddress).first { $0 == own }
    send(HCIEnhancedConnectionComplete(enhanced))
  }

  /// Data of the host (5.4.2): a fragment with its handle and its boundary flag.
  mutating func transmit(_ packet: [UInt8]) {
    let head: UInt16 = LittleEndian.number(packet[..<2])
    let handle = head & 0x0FFF
    let data = Array(packet.dropFirst(4))
    guard let link = links.links[handle], data.count <= LinkEvents.longestPDU else { return }
    guard links.links.values.reduce(0, { $0 + $1.unsent }) < HCILinks.buffers else {
      return send(HCIDataBufferOverflow())
    }
    links.links[handle]?.unsent += 1
    act(.link(link.connection, .data(LinkData(isStart: head >> 12 & 0b11 != 0b01, data))))
  }

  /// Handles a notice of the link layer about a connection.
  package mutating func notice(_ notice: LinkNotice, of connection: ConnectionID, at now: Duration) -> [Output] {
    turn(at: now) { controller in
      guard let handle = controller.links.handle(of: connection) else { return }
      controller.take(notice, handle)
    }
  }

  private mutating func take(_ notice: LinkNotice, _ handle: UInt16) {
    switch notice {
    case .data(let data):
      let head = LittleEndian.bytes(handle | (data.isStart ? 0b10 : 0b01) << 12)
      act(.send([HCIPacketKind.acl.rawValue] + head + LittleEndian.bytes(UInt16(data.bytes.count)) + data.bytes))
    case .sent:
      links.links[handle]?.unsent -= 1
      send(HCICompletedPackets([HCIOfLink(handle, 1)]))
    case .features:
      links.links[handle]?.running.remove(.features)
      send(HCIRemoteFeatures(handle, features: LinkVersion.features))
    case .version:
      links.links[handle]?.running.remove(.version)
      links.links[handle]?.knowsVersion = true
      sendVersion(of: handle)
    case .parametersRequested(let request):
      guard let link = links.links[handle] else { return }
      // The update of this side comes first (Core Specification, Vol 6, Part B, 5.3).
      guard !link.running.contains(.parameters) else {
        return act(.link(link.connection, .refuseParameters(reason: Self.procedureCollision)))
      }
      let isAsked = passes(HCIParameterRequest.code)
      links.links[handle]?.running.insert(isAsked ? .parameterRequest : .parameters)
      // The controller accepts for a host that does not want to be asked.
      guard isAsked else { return act(.link(link.connection, .update(request.parameters))) }
      send(
        HCIParameterRequest(
          handle, least: request.intervals.lowerBound, most: request.intervals.upperBound, latency: request.latency,
          timeout: request.timeout))
    case .parametersChanged(let parameters):
      links.links[handle]?.parameters = parameters
      updateEnded(0, handle)
    case .parametersRefused(let reason): updateEnded(reason, handle)
    case .dataLength(let sent, let received):
      send(
        HCIDataLengthChange(
          handle, sent: HCISuggestedDataLength(sent), received: HCISuggestedDataLength(received)))
    case .dataLengthAnswered: links.links[handle]?.running.remove(.dataLength)
    case .keyRequested(let random, let diversifier):
      guard let connection = links.links[handle]?.connection else { return }
      // A host that does not want to be asked has no key.
      guard passes(HCILongTermKeyRequest.code) else { return act(.link(connection, .key(nil))) }
      links.links[handle]?.running.insert(.keyRequest)
      send(HCILongTermKeyRequest(handle, random: random, diversifier: diversifier))
    case .encrypted(isRefresh: false): encryptionChanged(0, isOn: true, handle)
    case .encrypted(isRefresh: true):
      links.links[handle]?.running.remove(.encryption)
      send(HCIEncryptionKeyRefresh(handle))
    case .encryptionRefused(let reason): encryptionChanged(reason.rawValue, isOn: false, handle)
    case .ended(let reason):
      links.links[handle] = nil
      send(HCIDisconnectionComplete(handle, reason: reason.rawValue))
    }
  }

  /// LL Procedure Collision (Core Specification, Vol 1, Part F, 1.3).
  private static let procedureCollision: UInt8 = 0x23

  private mutating func updateEnded(_ status: UInt8, _ handle: UInt16) {
    links.links[handle]?.running.remove(.parameters)
    guard let parameters = links.links[handle]?.parameters else { return }
    let units = parameters.units
    send(
      HCIConnectionUpdateComplete(
        handle, status: status, interval: units.interval, latency: parameters.latency, timeout: units.timeout))
  }

  private mutating func encryptionChanged(_ status: UInt8, isOn: Bool, _ handle: UInt16) {
    links.links[handle]?.running.remove(.encryption)
    send(HCIEncryptionChange(handle, status: status, isOn: isOn))
  }

  mutating func sendVersion(of handle: UInt16) {
    send(HCIRemoteVersion(handle, version: LinkVersion.number, company: LinkVersion.company))
  }
}
