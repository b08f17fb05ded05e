/// The controller below the phone's own host, by its answers at the start.
package struct RadioController: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The version of the Core Specification, such as `5.3`.
  package var version: String
  /// The company that has made the controller: four hexadecimal digits of Assigned Numbers, 7.1.
  package var company: String
  /// How many packets of data the controller takes at a time, each of at most `bufferLength` bytes.
  package var buffers: Int
  package var bufferLength: Int
  /// How many advertisements are on the air at a time; 1 without extended advertising.
  package var sets: Int
  /// Whether the controller has extended advertising.
  package var extended: Bool

  package init(version: String, company: String, buffers: Int, bufferLength: Int, sets: Int, extended: Bool) {
    (self.version, self.company, self.buffers, self.bufferLength) = (version, company, buffers, bufferLength)
    (self.sets, self.extended) = (sets, extended)
  }

  /// `Bluetooth 5.3, company 00E0, 20 packets of 27 bytes, 16 advertising sets`.
  package var description: String {
    let advertising = extended ? "\(sets) advertising set\(sets == 1 ? "" : "s")" : "legacy advertising"
    let packets = "\(buffers) packet\(buffers == 1 ? "" : "s") of \(bufferLength) bytes"
    return "Bluetooth \(version), company \(company), \(packets), \(advertising)"
  }
}
