import Glibc

/// Sockets of the kernel's HCI, of which the C library has no headers (net/bluetooth in Linux).
package enum HCISocket {
  package enum Channel: UInt16 {
    /// The packets of a controller, which one program at a time can have.
    case user = 1
    /// The management interface.
    case control = 3
  }

  /// HCI_DEV_NONE: the channel belongs to no adapter.
  package static let noAdapter: UInt16 = 0xFFFF
  /// AF_BLUETOOTH and BTPROTO_HCI.
  private static let (family, protocolNumber) = (CInt(31), CInt(1))

  /// Opens a socket that does not block.
  ///
  /// - Parameter adapter: the number N of the adapter hciN.
  /// - Returns: the descriptor; where the system refuses, its error as a negative number.
  package static func open(_ channel: Channel, of adapter: UInt16 = noAdapter) -> CInt {
    let kind = SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(family, CInt(kind), protocolNumber)
    guard descriptor >= 0 else { return -errno }
    let result = unsafe [UInt16(family), adapter, channel.rawValue].withUnsafeBytes { bytes in
      unsafe bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
    }
    guard result != 0 else { return descriptor }
    let error = errno
    close(descriptor)
    return -error
  }

  /// The names of the kernel's adapters, such as hci0; nil where the kernel has no Bluetooth. Only the first network
  /// namespace has Bluetooth sockets, and all of the kernel's modules are in /sys.
  package static var adapters: [String]? {
    FolderNames.read("/sys/class/bluetooth")?.filter { $0.hasPrefix("hci") && UInt16($0.dropFirst(3)) != nil }.sorted()
  }
}
