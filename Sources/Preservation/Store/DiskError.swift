import Glibc

/// What a call of the file system failed with: an `errno`.
package struct DiskError: Error, Hashable, Sendable {
  package let code: CInt

  package init(code: CInt) { self.code = code }

  /// A call that said that it did nothing.
  static let noProgress = Self(code: EIO)

  package var isMissing: Bool { code == ENOENT }
  package var reason: String { unsafe String(cString: strerror(code)) }
}
