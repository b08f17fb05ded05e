import BleperaBluetooth
import BleperaCompare
import BleperaRules

@testable import BleperaCapture

extension FuzzTarget {
  /// A capture in any format.
  static let capture = FuzzTarget("capture") { bytes in
    let whole = Reading(bytes, pieces: max(1, bytes.count))
    require(Reading(bytes, pieces: 1 + Int(bytes.last ?? 0) % 64) == whole, "pieces make no difference")
    let numbers = whole.packets.map(\.number)
    require(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "the numbers ascend")
    require(numbers.first ?? 1 >= 1 && numbers.last ?? 0 <= whole.records, "the numbers are those of records")
    let times = 0...CaptureReader.latestTime
    for packet in whole.packets {
      require(times.contains(packet.time), "differences of times have no overflow")
      check(packet.content, in: bytes.count)
    }
    compare(whole.packets)
    if let fault = whole.fault {
      require((0...bytes.count).contains(fault.offset), "a fault is in the file")
      require(fault.record ?? whole.records + 1 == whole.records + 1, "a fault is at the record after the last one")
      require(!fault.reason.isEmpty && !fault.reason.utf8.contains { $0 < 0x20 }, "a fault has a reason on one line")
    }
  }

  /// Measures the phone of the log, or the first that a sniffer received.
  private static func compare(_ packets: [CapturedPacket]) {
    let address = packets.lazy.compactMap { packet -> UInt64? in
      guard case .air(let air) = packet.content, air.pdu.count >= 8 else { return nil }
      return air.pdu[2..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }.first
    var comparison = CaptureComparison(PhoneSelection(addresses: Set([address].compactMap { $0 })))
    for packet in packets { comparison.add(packet) }
    for value in comparison.compare(with: RuleSet(.newest)) {
      require((value.measured == nil) == (value.verdict == .notSeen), "what is not measured has no verdict")
      require(value.measured?.packets != 0, "\(value.name) is measured from packets")
    }
    require(comparison.observations.allSatisfy { $0.count <= $0.total ?? .max }, "a part is not more than all")
  }

  private static func check(_ content: CapturedPacket.Content, in length: Int) {
    switch content {
    case .hci(let packet): require(packet.bytes.count < length, "a packet is a part of the file")
    case .air(let packet):
      require(packet.pdu.count == 2 + Int(packet.pdu[1]), "a PDU has the length of its header")
      require(packet.pdu.count < length, "a packet is a part of the file")
      require(packet.channel ?? 0 < 40, "a channel has an index")
    case .note, .power: break
    }
  }
}

/// What a reader makes of a file that arrives in pieces.
private struct Reading: Equatable {
  private(set) var packets: [CapturedPacket] = []
  private(set) var fault: CaptureFault?
  private(set) var records: Int

  init(_ bytes: [UInt8], pieces: Int) {
    var reader = CaptureReader()
    do throws(CaptureFault) {
      for start in stride(from: 0, to: bytes.count, by: pieces) {
        reader.append(Array(bytes[start...].prefix(pieces)))
        while let packet = try reader.next() { packets.append(packet) }
      }
      reader.end()
      while let packet = try reader.next() { packets.append(packet) }
    } catch {
      fault = error
    }
    records = reader.records
  }
}
