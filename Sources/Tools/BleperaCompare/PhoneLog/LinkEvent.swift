import BleperaBluetooth
import BleperaHCIProtocol

/// An event of a controller about a link.
enum LinkEvent {
  case connected(HCIConnectionComplete)
  case ended(UInt16)
  case updated(HCIConnectionUpdateComplete)
  case encrypted(UInt16)
  case dataLength(HCIDataLengthChange)
  case phys(HCIOfLink<HCIPHYs>)

  /// Nil for other events, for an event that is cut, and for the end of a procedure that has failed.
  init?(_ bytes: ArraySlice<UInt8>) {
    if let event = HCILEConnectionComplete(loggedEvent: bytes, atLeast: 17)?.complete
      ?? HCIEnhancedConnectionComplete(loggedEvent: bytes, atLeast: 29)?.complete, event.status == 0
    {
      self = .connected(event)
    } else if let event = HCIDisconnectionComplete(loggedEvent: bytes, atLeast: 3) {
      self = .ended(event.handle)
    } else if let event = HCIConnectionUpdateComplete(loggedEvent: bytes, atLeast: 5), event.status == 0 {
      self = .updated(event)
    } else if let event = HCIEncryptionChange(loggedEvent: bytes, atLeast: 3), event.status == 0 {
      self = .encrypted(event.handle)
    } else if let event = HCIDataLengthChange(loggedEvent: bytes, atLeast: 6) {
      self = .dataLength(event)
    } else if let event = HCIPHYUpdate(loggedEvent: bytes, atLeast: 4), event.status == 0 {
      self = .phys(event.phys)
    } else {
      return nil
    }
  }

  var handle: UInt16 {
    switch self {
    case .connected(let event): event.handle
    case .ended(let handle), .encrypted(let handle): handle
    case .updated(let event): event.handle
    case .dataLength(let event): event.handle
    case .phys(let event): event.handle
    }
  }
}
