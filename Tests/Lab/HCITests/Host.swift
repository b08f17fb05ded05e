import BleperaAir
import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

@testable import BleperaHCI

/// A host's side of a controller, without a transport.
struct Host {
  var controller: HCIController
  var now = Duration.zero

  init(isLegacy: Bool = false, isDual: Bool = false) {
    controller = HCIController(
      address: DeviceAddress(bits: 0x00AA_0100_0005), isLegacy: isLegacy, isDual: isDual, seed: 1)
  }

  /// Sends a command; the result is its status, what it returns, and what happens after the answer. The status is FF
  /// where the answer is not the first.
  mutating func send(_ opcode: UInt16, _ parameters: [UInt8] = []) -> (
    status: UInt8, rest: [UInt8], outputs: [HCIController.Output]
  ) {
    let bytes = LittleEndian.bytes(opcode) + [UInt8(parameters.count)] + parameters
    var outputs = controller.receive(H4Reader.Packet(kind: .command, bytes: bytes), at: now)
    let number = [1] + LittleEndian.bytes(opcode)
    guard case .send(let packet)? = outputs.first,
      packet.starts(with: [4, 0x0E]) && packet[3...].starts(with: number)
        || packet.starts(with: [4, 0x0F]) && packet[4...].elementsEqual(number)
    else { return (0xFF, [], outputs) }
    outputs.removeFirst()
    return packet[1] == 0x0F ? (packet[3], [], outputs) : (packet[6], Array(packet[7...]), outputs)
  }

  /// Lets LE events through, all that the controller has.
  mutating func unmask() {
    _ = send(0x0C01, LittleEndian.bytes(UInt64.max))
    _ = send(0x2001, LittleEndian.bytes(UInt64.max))
  }
}

extension [HCIController.Output] {
  /// The packets sent to the host, without the octet of H4.
  var events: [[UInt8]] {
    compactMap { output -> [UInt8]? in if case .send(let packet) = output { [UInt8](packet.dropFirst()) } else { nil } }
  }

  var advertised: [(set: UInt8, packets: AdvertisingPackets)] {
    compactMap { output -> (set: UInt8, packets: AdvertisingPackets)? in
      if case .advertise(let set, let packets, _, _) = output { (set, packets) } else { nil }
    }
  }

  /// The packets that sets on the air send from now on.
  var replaced: [AdvertisingPackets] {
    compactMap { if case .replacePackets(_, let packets) = $0 { packets } else { nil } }
  }
}

extension LittleEndian {
  /// The type and the address.
  static func bytes(_ address: DeviceAddress) -> [UInt8] {
    [address.isRandom ? 1 : 0] + bytes(address.bits, count: 6)
  }
}
