/// A file with the packets of the hosts of a door.
package struct HCICapture: Sendable {
  package let file: String
  /// Receives whole records for a file that begins with `BtsnoopFile.header`, on the loop.
  let write: @Sendable ([UInt8]) -> Void

  package init(file: String, write: @escaping @Sendable ([UInt8]) -> Void) { (self.file, self.write) = (file, write) }
}
