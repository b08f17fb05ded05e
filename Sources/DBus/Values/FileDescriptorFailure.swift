import Glibc

/// A file descriptor that could not be duplicated; `code` is an `errno`.
package struct FileDescriptorFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let descriptor: CInt
  package let code: CInt

  package var cause: String {
    switch code {
    case EBADF: "it is not open"
    case EMFILE: "the process has no more of them"
    default: "error \(code)"
    }
  }

  package var description: String { "File descriptor \(descriptor) could not be duplicated: \(cause)." }
}
