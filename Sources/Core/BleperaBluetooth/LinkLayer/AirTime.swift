/// Times on the air on the LE 1M PHY, in microseconds (Core Specification, Vol 6, Part B, 2.1 and 4.1).
package enum AirTime {
  /// The pause between the packets of an exchange, T_IFS.
  package static let interframeSpace = 150
  package static let scanRequest = 176
  package static let connectIndication = 352
  /// The time from the start of a packet of an advertising event to the start of the next one; ours, as the spacing of
  /// an iPhone was never captured.
  package static let spacing = 1126

  /// The time of ADV_IND or SCAN_RSP with that many bytes of data: 16 bytes are preamble, access address, header,
  /// address and CRC.
  package static func advertisement(_ bytes: Int) -> Int { 8 * (16 + bytes) }
}
