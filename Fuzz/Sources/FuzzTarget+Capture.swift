import BleperaBluetooth
import BleperaRules
import TestSupport

@testable import BleperaCompare

extension FuzzTarget {
  /// Captures, with a target for each format: the format's magic number is written over the start of an input.
  static let captures = [
    format("packetlogger-big") { $0.replaceSubrange(..<2, with: [0, 0]) },
    format("packetlogger-little") { $0.replaceSubrange(2..<4, with: [0, 0]) },
    format("btsnoop", head: 16) { $0.replaceSubrange(..<4, with: [0x62, 0x74, 0x73, 0x6E]) },
    format("pcap", head: 24) { bytes in
      if !pcap.contains(Array(bytes.prefix(4))) { bytes.replaceSubrange(..<4, with: pcap[Int(bytes[0]) % pcap.count]) }
    },
    format("pcapng", head: 28) { $0.replaceSubrange(..<4, with: [0x0A, 0x0D, 0x0D, 0x0A]) },
  ]

  /// The magic numbers of pcap in both byte orders, with micro- and nanoseconds.
  private static let pcap: [[UInt8]] = [
    [0xD4, 0xC3, 0xB2, 0xA1], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0xA1, 0xB2, 0x3C, 0x4D],
  ]

  /// - Parameter head: the bytes before the records.
  private static func format(
    _ name: String, head: Int = 0, _ begin: @escaping @Sendable (inout [UInt8]) -> Void
  ) -> FuzzTarget {
    FuzzTarget(name) { input in
      var bytes = input
      if bytes.count >= 4 { begin(&bytes) }
      check(bytes)
      if bytes.reduce(0, ^) & 0x3F == 0 { checkGrowth(of: Array(bytes.dropFirst(head)), behind: bytes.prefix(head)) }
    }
  }

  /// Requires that four times the records take about four times as long.
  ///
  /// - Parameter records: the records of an input, which are repeated with a number in three of their bytes.
  private static func checkGrowth(of records: [UInt8], behind head: ArraySlice<UInt8>) {
    guard records.count >= 8 else { return }
    let place = Int(records.last ?? 0) % (records.count - 2)
    func time(_ length: Int) -> Duration {
      var file = Array(head)
      for number in 0..<length / records.count {
        var copy = records
        for shift in 0..<3 { copy[place + shift] ^= UInt8(truncatingIfNeeded: number >> (8 * shift)) }
        file += copy
      }
      return processorTime { compare(Reading(file, pieces: file.count).packets) }
    }
    let (short, long) = (time(shortLength), time(4 * shortLength))
    require(long < .milliseconds(500) || long < short * 10, "\(long) after \(short)")
  }

  /// The shorter of the two lengths whose times are compared, in bytes.
  private static let shortLength = 1 << 16

  private static func check(_ bytes: [UInt8]) {
    let whole = Reading(bytes, pieces: max(1, bytes.count))
    require(Reading(bytes, pieces: 1 + Int(bytes.last ?? 0) % 64) == whole, "pieces make no difference")
    for (_, packets) in Dictionary(grouping: whole.packets, by: \.adapter) {
      let numbers = packets.map(\.number)
      require(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "the numbers of an adapter ascend")
      require(numbers.first ?? 1 >= 1 && numbers.last ?? 0 <= whole.records, "the numbers are those of records")
    }
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

  /// Measures the phone of the log, the first one that a sniffer received, or those that a host was connected to.
  private static func compare(_ packets: [CapturedPacket]) {
    func address(_ bytes: [UInt8], at offset: Int) -> UInt64? {
      bytes.count < offset + 6 ? nil : bytes[offset..<offset + 6].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    let sniffed = packets.lazy.compactMap { packet in
      if case .air(let air) = packet.content { address(air.pdu, at: 2) } else { nil }
    }.first
    let met = packets.compactMap { packet in
      if case .hci(let hci) = packet.content { address(hci.bytes, at: 8) } else { nil }
    }
    compare(packets, CaptureComparison(PhoneSelection(addresses: Set([sniffed].compactMap { $0 }))))
    compare(packets, CaptureComparison(PhoneSelection(addresses: Set(met)), receiver: .host))
  }

  private static func compare(_ packets: [CapturedPacket], _ begun: CaptureComparison) {
    var comparison = begun
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

/// The packets and the fault that a reader finds in a file that arrives in pieces.
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
