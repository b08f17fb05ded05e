import BleperaBluetooth
package import BleperaHost
package import BleperaRules

/// A phone's host and what the host asks of its link layer, as the rules describe them.
package struct PhoneHost: Hashable, Sendable {
  /// The value of Device Name.
  package var name: String
  /// The offered ATT_MTU, in bytes.
  package var mtu: Int
  package var stack = StackBehavior()
  /// The payload of data PDUs where a connection begins, in bytes.
  package var dataLength: Int
  /// How long a resolvable private address is used.
  package var addressRotation: Duration
  /// The parameters of connections that the phone makes as a central.
  package var link: LinkParameters

  /// - Parameters:
  ///   - mtu: nil for the ATT_MTU of the rules.
  ///   - hasServices: whether the phone publishes an iPhone's own services.
  package init(_ rules: RuleSet, name: String, mtu: Int? = nil, hasServices: Bool = false) {
    self.name = name
    (dataLength, addressRotation) = (rules.dataLength.value, rules.addressRotation.value)
    self.mtu = mtu ?? rules.offeredMTU(overDataLength: dataLength)
    // An iPhone's controller takes the longest interval of the request.
    let requested = rules.requestedLink.value
    link = LinkParameters(
      interval: requested.maximum, latency: UInt16(clamping: requested.latency), supervisionTimeout: requested.timeout)
    let short = mtu ?? rules.offeredMTU(overDataLength: DataLength.range.lowerBound)
    if short < self.mtu { stack.shortPacketMTU = short }
    stack.client = .phone
    if hasServices { (stack.greeting, stack.peripheralDiscovery) = (rules.greeting, rules.peripheralDiscovery) }
  }
}
