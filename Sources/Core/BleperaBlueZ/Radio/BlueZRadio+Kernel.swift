import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio

extension BlueZRadio {
  /// Whether the kernel gets the packets, rather than bluetoothd.
  var isExact: Bool { options.isExact && kernel.obstacle == nil }

  /// Follows the adapter in use; nil where bluetoothd has none, or does not run.
  func followKernel(_ new: Adapter?) {
    // The kernel reports the end of an adapter itself, and keeps its instances while bluetoothd does not run.
    guard let new else { return options.isExact || daemon.owner == nil ? () : adapterRemoved() }
    guard !kernel.isMissing else { return }
    if kernel.has(new) { return countOthers() }
    adapterRemoved()
    do throws(ManagementFailure) {
      // The socket is opened before the settings are read, so that no later change is missed, such as a power-on.
      if options.isExact, kernel.socket == nil {
        let socket = try ManagementSocket()
        kernel.source = loop.watch(descriptor: socket.descriptor, for: .reading, callback { this, _ in this.receive() })
        kernel.socket = socket
      }
      let settings = try kernel.find(new)
      guard options.isExact else { return }
      kernel.restoreDefaultInterval()
      if let others = otherAdvertisements { run(.registered(others)) }
      run(.adapter(isPowered: settings.isPowered))
      setObstacle(kernel.exact.obstacle)
    } catch {
      kernel.adapterNotFound(error)
      setObstacle(error)
    }
  }

  private func adapterRemoved() {
    run(.adapter(isPowered: nil))
    kernel.removeAdapter()
  }

  /// The number of advertisements that bluetoothd counts for others; nil while that is unknown: its count has one of
  /// the phone's before it replies to the registration.
  private var otherAdvertisements: Int? {
    guard let counted = adapter?.advertising?.activeInstances, let own = machine.registeredAdvertisements else {
      return nil
    }
    return max(0, counted - own)
  }

  /// Counts others' advertisements after each change of bluetoothd's count and each call for an own advertisement.
  func countOthers() {
    // The kernel's report of an instance added for a registration precedes bluetoothd's count.
    receive()
    if kernel.adapter != nil, let others = otherAdvertisements { run(.registered(others)) }
  }

  // MARK: Exact packets

  func run(_ event: ExactAdvertising.Event) {
    guard options.isExact else { return }
    for action in kernel.exact.handle(event) { perform(action) }
    resumeIfSettled()
  }

  /// A controller reports a connection before the end of the advertising, which the kernel may not know yet.
  private static let repetitionDelay = Duration.milliseconds(500)

  func advertiseBesideConnection() {
    run(.connected)
    schedule(.connectionReport, after: Self.repetitionDelay) { $0.run(.connected) }
  }

  private func receive() {
    while let message = kernel.socket?.receive() {
      guard let adapter = kernel.adapter, message.index == adapter.index else { continue }
      switch message.content {
      case .reply(_, let result): run(.reply(result))
      case .settings(let settings):
        kernel.hasPrivacy = settings.hasPrivacy
        run(.adapter(isPowered: settings.isPowered))
      case .advertisingAdded(let instance): run(.added(instance))
      case .advertisingRemoved(let instance):
        // An instance that bluetoothd removes while it changes our own advertisement is not free.
        run(.removed(instance, byOthers: machine.registeredAdvertisements != nil))
      case .indexRemoved: adapterRemoved()
      }
    }
  }

  private func perform(_ action: ExactAdvertising.Action) {
    switch action {
    case .send(let command):
      guard let adapter = kernel.adapter, kernel.socket?.send(command, to: adapter.index) == true else {
        return run(.reply(.failure(.status(0))))
      }
    case .hold(let instances):
      kernel.hold(instances)
      hold()
    case .advertising: reportIfOnAir()
    case .stopped: if isExact { report(.advertisingStopped) }
    case .lost: advertisementLost()
    case .failed(let failure, let count):
      air.lose()
      report(.advertisingFailed(RadioFailure("\(failure)"), count: count))
    case .retry(let delay): schedule(.exactPackets, after: delay) { $0.run(.retryDue) }
    case .obstacle(let failure): setObstacle(failure)
    }
  }

  /// Changes between exact packets and bluetoothd's.
  private func setObstacle(_ failure: ManagementFailure?) {
    guard options.isExact, failure != kernel.obstacle else { return }
    kernel.obstacle = failure
    // The advertisement on the air ends, and other packets follow.
    advertisementLost()
    advertise(air.requested)
  }

  /// The pause before a new keeper after a keeper has ended by itself; ours.
  private static let keeperPause = Duration.seconds(1)

  private func hold() {
    guard kernel.adapter != nil else { return }
    if kernel.keeper == nil, let socket = kernel.socket {
      kernel.keeper = InstanceKeeper(
        socket.descriptor, on: loop,
        ended: callback { this in
          this.kernel.keeper = nil
          this.schedule(.keeper, after: Self.keeperPause) { $0.hold() }
        })
    }
    kernel.keepInstances()
  }

  // MARK: The default interval

  /// Sets the interval of advertisements, if this process may, on a bluetoothd that ignores their intervals, before it
  /// registers them.
  func applyDefaultInterval() {
    guard !isExact, honorsIntervals == false, let requested = air.ofApps?.interval else { return }
    kernel.apply(requested)
  }

  /// Whether the advertisements have their intervals from the adapter's default.
  var isDefaultApplied: Bool {
    honorsIntervals == false && air.ofApps.map { kernel.defaultInterval == $0.interval } ?? false
  }
}
