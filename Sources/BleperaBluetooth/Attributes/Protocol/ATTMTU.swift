/// The ATT_MTU of a link: the length of the longest ATT packet, in bytes.
package enum ATTMTU {
  /// 23 is the least of ATT (Core Specification, Vol 3, Part F, 3.2.8); 517, which a write of 512 bytes needs, is
  /// bluetoothd's.
  package static let range = 23...517

  /// Commonly exchanged by an iPhone; newer iPhones exchange more among themselves.
  package static let iPhone = 185
}
