import Glibc

/// Owns a file descriptor and closes it with the last reference; equality is object identity.
package final class UnixFileDescriptor: Sendable {
  package let rawValue: CInt

  /// Takes ownership of the descriptor, which nothing else may close afterwards.
  package init(owning rawValue: CInt) { self.rawValue = rawValue }

  deinit {
    if rawValue >= 0 { _ = close(rawValue) }
  }
}

extension UnixFileDescriptor: Hashable {
  package static func == (left: UnixFileDescriptor, right: UnixFileDescriptor) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
