package import BleperaBluetooth
package import BleperaHost
package import BleperaLoop
package import BleperaRadio

/// A link layer with the phone's host above it: an adapter of a virtual air, or a controller. All calls are on the loop.
package protocol HostedAdapter: AnyObject, Sendable {
  var loop: any ActorLoop { get }
  /// The adapter's name for users, such as `hci0`.
  var name: String { get }
  /// The delay from a call of the radio to its effect, like that of a phone's own layers; zero where the controller has
  /// its own.
  var latency: Duration { get }
  /// Nil where there is none, and until the controller has answered.
  var controllerInUse: RadioController? { get }
  var limitations: [RadioLimitation] { get }
  /// The defects of the link layer that the adapter can have.
  var possibleDefects: Set<PhoneDefect> { get }
  /// Nil while the adapter is not there.
  var state: AdapterState? { get }
  /// The packets on the air now, as they were asked for, in the order of their numbers.
  var advertised: [AdvertisingPackets] { get }
  /// The ends of open channels.
  var openChannelEnds: [ChannelEnd] { get }

  /// Reads the host in place. Nil without a host: an adapter of a virtual air loses its host when the adapter is taken
  /// off the machine, while the host above a controller stays.
  func withHost<Value: Sendable>(_ body: @Sendable (HostStack) -> Value) -> Value?

  /// Runs a request and everything that follows at once from it.
  func run(_ request: AdapterRequest)

  /// Runs a request that completes with a result.
  func operate(_ request: @Sendable (OperationID) -> AdapterRequest, _ completion: @escaping HostUses.Completion)

  /// Creates a number for an advertisement or an application.
  func newNumber() -> Int

  /// Reports everything to that user, which is not retained; nil ends the reports.
  func attach(_ user: (any AdapterUser)?)

  /// Wakes the stream when something happens at that end of a channel; retains the stream until the channel is closed
  /// there.
  func attach(_ stream: ChannelStream, to end: ChannelEnd)

  /// The passkey that the other side shows while the two pair, where the adapter sees the other side.
  func passkey(shownOver link: ConnectionID) -> UInt32?

  /// Takes the adapter off the machine, or plugs the adapter in again, as a test fault; only a virtual air does.
  func setPresent(_ isPresent: Bool)
}

extension HostedAdapter {
  package var controllerInUse: RadioController? { nil }
  package var limitations: [RadioLimitation] { [] }
  package var possibleDefects: Set<PhoneDefect> { PhoneDefect.ofLinkLayer }
  package func run(_ request: HostRequest) { run(.host(request)) }
  package func run(_ request: LinkLayerRequest) { run(.linkLayer(request)) }
  package func passkey(shownOver link: ConnectionID) -> UInt32? { nil }
  package func setPresent(_ isPresent: Bool) {}
}

/// A request to an adapter.
package enum AdapterRequest: Hashable, Sendable {
  case linkLayer(LinkLayerRequest)
  case host(HostRequest)
}

/// The user of an adapter: a phone's radio. The calls are on the loop, in order.
package protocol AdapterUser: AnyObject, Sendable {
  nonisolated func receive(_ event: LinkLayerEvent)
  nonisolated func receive(_ action: HostAction)
}

/// The state of an adapter that is there.
package struct AdapterState: Sendable {
  package let isPowered: Bool
  /// The address that bonded devices know.
  package let identity: DeviceAddress
  /// The address under which the adapter advertises.
  package let address: DeviceAddress
  /// Nil for an adapter without private addresses.
  package let privacy: AddressPrivacy?
  /// The addresses of the devices to which the adapter tries to connect, without a limit of time.
  package let connecting: Set<DeviceAddress>

  package init(
    isPowered: Bool, identity: DeviceAddress, privacy: AddressPrivacy?, connecting: Set<DeviceAddress>
  ) {
    (self.isPowered, self.identity, self.privacy) = (isPowered, identity, privacy)
    (address, self.connecting) = (privacy?.address ?? identity, connecting)
  }
}
