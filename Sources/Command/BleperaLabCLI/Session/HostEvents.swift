package import BleperaAppLink
package import BleperaHCI

extension EventRecord {
  /// The record for a notice about a host outside the air.
  package init(_ notice: HCIDoor.Notice) {
    switch notice {
    case .attached(let host, let capture):
      self.init(.hostAttached)
      add(.capture, capture)
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
