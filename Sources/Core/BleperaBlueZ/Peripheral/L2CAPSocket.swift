import BleperaBluetooth
import BleperaRadio
import Glibc

/// The kernel's sockets for L2CAP channels over LE, of which the C library has no headers (net/bluetooth in Linux).
enum L2CAPSocket {
  /// AF_BLUETOOTH, BTPROTO_L2CAP and BTPROTO_HCI.
  private static let family: CInt = 31
  private static let l2cap: CInt = 0
  private static let hci: CInt = 1
  /// SOL_BLUETOOTH and its options.
  private static let level: CInt = 274
  private static let security: CInt = 4
  private static let outgoingMTU: CInt = 12
  private static let incomingMTU: CInt = 13
  /// HCIGETDEVINFO.
  private static let deviceInformation: UInt = 0x8004_48D3

  /// A socket that listens on the adapter, and its number.
  static func listen(
    on adapter: Adapter, isEncrypted: Bool, besides taken: Set<L2CAPPSM>
  ) throws(RadioFailure) -> (descriptor: CInt, psm: L2CAPPSM) {
    try check(adapter)
    let kind = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(family, CInt(kind), l2cap)
    guard descriptor >= 0 else { throw failure("the kernel has no L2CAP sockets") }
    // BT_SECURITY_MEDIUM, an encrypted link by whichever way of pairing, or BT_SECURITY_LOW.
    let isSecured = unsafe setsockopt(descriptor, level, security, [isEncrypted ? 2 : 1, 0] as [UInt8], 2) == 0
    var psm: L2CAPPSM?
    for number in L2CAPPSM.dynamic where isSecured && psm == nil && !taken.contains(L2CAPPSM(rawValue: number)) {
      let address = Address(adapter: adapter, psm: number).bytes
      if unsafe withSocketAddress(address, { unsafe bind(descriptor, $0, $1) }) == 0 {
        psm = L2CAPPSM(rawValue: number)
      } else if errno != EADDRINUSE {
        break
      }
    }
    guard let psm, Glibc.listen(descriptor, 8) == 0 else {
      let areTaken = isSecured && psm == nil && errno == EADDRINUSE
      let failure = areTaken ? RadioFailure.noFreePSM : failure("the kernel refuses an L2CAP channel")
      close(descriptor)
      throw failure
    }
    return (descriptor, psm)
  }

  /// Accepts a channel, with the address of the central; nil where none waits.
  static func accept(from listener: CInt) -> (descriptor: CInt, central: String)? {
    var address = [UInt8](repeating: 0, count: Address.size)
    var size = socklen_t(Address.size)
    let descriptor = unsafe address.withUnsafeMutableBytes { bytes in
      unsafe Glibc.accept(listener, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
    }
    guard descriptor >= 0 else { return nil }
    return (descriptor, Hex.string(address[4..<10].reversed(), separator: ":"))
  }

  /// The largest packets that a channel receives and sends, in bytes.
  static func packets(of channel: CInt) -> (read: Int, write: Int) {
    (option(incomingMTU, of: channel) ?? 0xFFFF, option(outgoingMTU, of: channel) ?? 23)
  }

  private static func option(_ name: CInt, of channel: CInt) -> Int? {
    var value: UInt16 = 0
    var size = socklen_t(MemoryLayout<UInt16>.size)
    return unsafe getsockopt(channel, level, name, &value, &size) == 0 && value > 0 ? Int(value) : nil
  }

  /// Checks that the adapter is the kernel's: bluetoothd may run elsewhere, or be a virtual one.
  private static func check(_ adapter: Adapter) throws(RadioFailure) {
    let control = socket(family, CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), hci)
    guard control >= 0 else { throw failure("the kernel has no Bluetooth sockets") }
    defer { close(control) }
    // struct hci_dev_info: the number, eight bytes of the name, the address, and more.
    var information = [UInt8](repeating: 0, count: 128)
    information[0] = UInt8(truncatingIfNeeded: adapter.number)
    information[1] = UInt8(truncatingIfNeeded: adapter.number >> 8)
    let isKnown = unsafe information.withUnsafeMutableBytes { bytes in
      unsafe ioctl(control, deviceInformation, bytes.baseAddress!) == 0
    }
    let address = Hex.string(information[10..<16].reversed(), separator: ":")
    guard isKnown, adapter.hasRandomAddress || address == adapter.address else {
      throw RadioFailure("\(adapter.name) is not an adapter of this machine's kernel", isFinal: true)
    }
  }

  private static func failure(_ text: String) -> RadioFailure {
    RadioFailure("\(text): \(unsafe String(cString: strerror(errno)))", isFinal: true)
  }

  private static func withSocketAddress(
    _ bytes: [UInt8], _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let pointer = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return -1 }
      return unsafe body(pointer, socklen_t(bytes.count))
    }
  }

  /// `struct sockaddr_l2`: family, PSM, address with the last byte first, channel, address type.
  private struct Address {
    static let size = 14
    let bytes: [UInt8]

    init(adapter: Adapter, psm: UInt16) {
      let digits = Hex.bytes(adapter.address.split(separator: ":").joined()) ?? []
      let address = digits.count == 6 ? digits.reversed() : [UInt8](repeating: 0, count: 6)
      let type: UInt8 = adapter.hasRandomAddress ? 2 : 1
      bytes = [31, 0, UInt8(truncatingIfNeeded: psm), UInt8(truncatingIfNeeded: psm >> 8)] + address + [0, 0, type, 0]
    }
  }
}
