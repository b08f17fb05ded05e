import Glibc

/// Bytes of a Unix socket that come with a descriptor (unix(7), SCM_RIGHTS).
package enum DescriptorMessage {
  /// The header of a control message with one descriptor (`struct cmsghdr`), which the headers have as macros.
  private struct Control {
    var length = MemoryLayout<Int>.size + 3 * MemoryLayout<CInt>.size
    var level = SOL_SOCKET
    var type = CInt(SCM_RIGHTS)
    var descriptor: CInt = -1
    var padding: CInt = 0
  }

  /// - Returns: the number of bytes sent, as of send(2).
  package static func send(_ bytes: UnsafeRawBufferPointer, with descriptor: CInt, to socket: CInt) -> Int {
    var control = Control(descriptor: descriptor)
    return unsafe exchange(UnsafeMutableRawBufferPointer(mutating: bytes), &control) { message in
      unsafe sendmsg(socket, message, CInt(MSG_NOSIGNAL))
    }
  }

  /// - Parameter descriptors: receives the descriptor that came with the bytes.
  /// - Returns: the number of bytes received, as of recv(2).
  package static func receive(
    _ buffer: UnsafeMutableRawBufferPointer, from socket: CInt, _ descriptors: inout [CInt]
  ) -> Int {
    var control = Control()
    let count = unsafe exchange(buffer, &control) { message in
      unsafe recvmsg(socket, message, CInt(MSG_CMSG_CLOEXEC))
    }
    if count >= 0, control.descriptor >= 0 { descriptors.append(control.descriptor) }
    return count
  }

  private static func exchange(
    _ bytes: UnsafeMutableRawBufferPointer, _ control: inout Control, _ body: (UnsafeMutablePointer<msghdr>) -> Int
  ) -> Int {
    var part = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
    return unsafe withUnsafeMutablePointer(to: &part) { part in
      unsafe withUnsafeMutablePointer(to: &control) { control in
        var message = unsafe msghdr()
        unsafe message.msg_iov = part
        unsafe message.msg_iovlen = 1
        unsafe message.msg_control = UnsafeMutableRawPointer(control)
        // Without the padding, which would make room for a second descriptor.
        unsafe message.msg_controllen = Control().length
        return unsafe body(&message)
      }
    }
  }
}
