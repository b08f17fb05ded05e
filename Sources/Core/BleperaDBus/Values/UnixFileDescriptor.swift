import Glibc

/// Owns a file descriptor and closes it with the last reference; equality is object identity.
package final class UnixFileDescriptor: Sendable {
  package let rawValue: CInt

  /// Takes ownership of the descriptor, which nothing else may close afterwards.
  package init(owning rawValue: CInt) { self.rawValue = rawValue }

  deinit {
    if rawValue >= 0 { _ = close(rawValue) }
  }

  /// Another descriptor of the same open file, closed on exec.
  package func duplicate() throws(FileDescriptorFailure) -> UnixFileDescriptor {
    let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw FileDescriptorFailure(descriptor: rawValue, code: errno) }
    return UnixFileDescriptor(owning: copy)
  }
}

extension UnixFileDescriptor: Hashable {
  package static func == (left: UnixFileDescriptor, right: UnixFileDescriptor) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A file descriptor that could not be duplicated; `code` is an `errno`.
package struct FileDescriptorFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let descriptor: CInt
  package let code: CInt

  package var cause: String {
    switch code {
    case EBADF: "it is not open"
    case EMFILE: "the process has no descriptor left"
    default: "error \(code)"
    }
  }

  package var description: String { "File descriptor \(descriptor) could not be duplicated: \(cause)." }
}
