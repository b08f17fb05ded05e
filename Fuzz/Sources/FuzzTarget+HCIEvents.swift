import BleperaBluetooth
import BleperaHCIProtocol

extension FuzzTarget {
  /// What a controller sends to a host, which arrives in pieces.
  static let hciEvents = FuzzTarget("hci-events") { bytes in
    let whole = Arrival(bytes, pieces: max(1, bytes.count))
    require(Arrival(bytes, pieces: 1 + Int(bytes.last ?? 0) % 64) == whole, "pieces make no difference")
    let lengths = whole.packets.map { 1 + $0.bytes.count }
    require(lengths.reduce(0, +) <= bytes.count, "packets are parts of what arrives")
    for packet in whole.packets where packet.kind == .event {
      guard let event = try? HCIEvent(packet.bytes) else { continue }
      if case .commandComplete(let complete) = event { check(complete.returned.dropFirst()) }
      guard let packet = Self.packet(of: event) else { continue }
      require(packet.count <= 3 + 255, "an event is no longer than its length can say")
      require((try? HCIEvent(Array(packet.dropFirst()))) == event, "\(event) is encoded and decoded")
    }
  }

  /// Nil for an event that is not kept.
  private static func packet(of event: HCIEvent) -> [UInt8]? {
    switch event {
    case .commandComplete(let event): event.packet
    case .commandStatus(let event): event.packet
    case .completedPackets(let event): event.packet
    case .disconnectionComplete(let event): event.packet
    case .encryptionChange(let event): event.packet
    case .encryptionKeyRefresh(let event): event.packet
    case .hardwareError(let event): event.packet
    case .dataBufferOverflow: HCIDataBufferOverflow().packet
    case .connectionComplete(let complete): HCIEnhancedConnectionComplete(complete).packet
    case .connectionUpdate(let event): event.packet
    case .advertisingReports(let reports): HCIAdvertisingReports(reports).packet
    case .extendedReports(let reports): HCIExtendedReports(reports).packet
    case .longTermKeyRequest(let event): event.packet
    case .parameterRequest(let event): event.packet
    case .dataLengthChange(let event): event.packet
    case .setTerminated(let event): event.packet
    case .other: nil
    }
  }

  /// Reads what a command returns as the values of several commands.
  private static func check(_ returned: ArraySlice<UInt8>) {
    let types: [any HCIParameters.Type] = [
      HCIVersion.self, HCICommandMask.self, HCIBufferSize.self, HCIMaximumDataLength.self, HCIPublicAddress.self,
      HCIOfLink<HCIChannelMap>.self, HCIAccessCodes.self, HCIExtendedFeatures.self,
    ]
    for type in types {
      guard let values = try? type.init(returned) else { continue }
      require((try? type.init(values.bytes))?.bytes == values.bytes, "\(values) are encoded and decoded")
    }
  }
}

/// The packets in a stream, up to an octet that begins none.
private struct Arrival: Equatable {
  private(set) var packets: [H4Reader.Packet] = []
  private(set) var fault: H4Reader.Fault?

  init(_ bytes: [UInt8], pieces: Int) {
    var reader = H4Reader()
    do throws(H4Reader.Fault) {
      for start in stride(from: 0, to: bytes.count, by: pieces) {
        reader.append(Array(bytes[start...].prefix(pieces)))
        while let packet = try reader.next() { packets.append(packet) }
      }
    } catch {
      fault = error
    }
  }
}
