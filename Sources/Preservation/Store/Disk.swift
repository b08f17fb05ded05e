/// The calls of a file system that a store makes, one each, so that each can be seen and can fail.
package protocol Disk: Sendable {
  /// The user in whose name it is done.
  var user: UInt32 { get }
  /// Of what stands at the path itself, a symbolic link too.
  func status(of path: String) throws(DiskError) -> FileStatus
  /// With mode 0700.
  func makeFolder(_ path: String) throws(DiskError)
  func read(_ path: String) throws(DiskError) -> [UInt8]
  /// Makes a file that must not be there, with mode 0600, and opens it for writing.
  func create(_ path: String) throws(DiskError) -> CInt
  /// Returns how many of the bytes were written.
  func write(_ bytes: ArraySlice<UInt8>, to file: CInt) throws(DiskError) -> Int
  func sync(_ file: CInt) throws(DiskError)
  func close(_ file: CInt) throws(DiskError)
  func rename(_ path: String, to new: String) throws(DiskError)
  func remove(_ path: String) throws(DiskError)
  func syncFolder(_ path: String) throws(DiskError)
}
