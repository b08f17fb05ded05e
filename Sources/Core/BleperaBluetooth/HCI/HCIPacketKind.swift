/// The kind of a packet between a host and its controller, with the octet that H4 has for it (Core Specification, Vol
/// 4, Part A, 2).
package enum HCIPacketKind: UInt8, Sendable {
  case command = 1
  case acl = 2
  case synchronous = 3
  case event = 4
  case isochronous = 5
}
