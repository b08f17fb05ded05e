import BleperaAppLink
import BleperaHCI

extension EventRecord {
  /// What is written of a host outside the air.
  init(_ notice: HCIDoor.Notice) {
    switch notice {
    case .attached(let host):
      self.init(.hostAttached)
      add(.host, host)
    case .left(let host, let reason):
      self.init(.hostLeft)
      add(.host, host)
      add(.reason, reason)
    case .refused(let host):
      self.init(.hostRefused)
      add(.host, host)
    }
  }
}
