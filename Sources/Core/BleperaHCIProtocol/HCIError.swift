/// The error codes of a controller (Core Specification, Vol 1, Part F, 1.3).
package enum HCIError: UInt8, Error, Hashable, Sendable {
  case unknownCommand = 0x01
  case unknownConnection = 0x02
  case pageTimeout = 0x04
  case memoryCapacityExceeded = 0x07
  case limitExceeded = 0x09
  case connectionExists = 0x0B
  case commandDisallowed = 0x0C
  case unsupportedFeature = 0x11
  case invalidParameters = 0x12
  case advertisingTimeout = 0x3C
  case unknownAdvertisingSet = 0x42
  case limitReached = 0x43
}
