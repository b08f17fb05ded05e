/// An end of a stream of bytes in both directions. No call blocks; how much either side may be ahead is limited.
package protocol ByteStream: AnyObject, Sendable {
  /// Returns the bytes that have arrived, at most `limit` (or one packet): empty for nothing yet, nil at the end of the
  /// stream.
  func read(upTo limit: Int) -> [UInt8]?

  /// Accepts as many of the bytes as there is room for.
  ///
  /// - Returns: how many; nil if the other side has closed the stream.
  func write(_ bytes: ArraySlice<UInt8>) -> Int?

  /// Calls `body` once, on the loop, when the stream is ready for any of these or has ended; replaces an earlier wait.
  /// An empty set ends the wait.
  func wait(for readiness: Readiness, _ body: @escaping @Sendable () -> Void)

  /// Closes the stream; bytes that were written still reach the other side.
  func close()
}
