/// What an advertisement puts on the air.
package struct EncodedAdvertisement: Hashable, Sendable {
  package var data: [UInt8]
  package var scanResponse: [UInt8]
  package var isConnectable: Bool
  /// In extended PDUs, which scanners of legacy ones do not hear.
  package var isExtended: Bool
  /// The mean time between two events, before the delay of up to 10 ms that each one adds.
  package var interval: Duration
}
