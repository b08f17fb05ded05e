import BleperaBlueZProtocol
package import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
package import BleperaRadio

/// Updates, and the subscribers that receive them.
///
/// An update for all subscribers is a signal on the bus. An update for some subscribers goes by their streams, which
/// bluetoothd offers from 5.76 on, and may have to wait for others (`UpdateQueue`).
extension BlueZRadio {
  package func update(
    _ characteristic: AttributeHandle, _ value: [UInt8], to centrals: [CentralID]
  ) -> RadioFailure? { update(characteristic, value, to: centrals, mayReachOthers: false) }

  package func updateKept(
    _ characteristic: AttributeHandle, _ value: [UInt8], for central: CentralID
  ) -> RadioFailure? { update(characteristic, value, to: [central], mayReachOthers: true) }

  /// - Parameter mayReachOthers: sends the update also where bluetoothd would not keep it from other subscribers.
  private func update(
    _ characteristic: AttributeHandle, _ value: [UInt8], to centrals: [CentralID], mayReachOthers: Bool
  ) -> RadioFailure? {
    guard let path = applications.path(of: characteristic) else { return nil }
    let devices = subscribers.subscribers(of: path)
    let known = self.devices.centrals(at: devices)
    if centrals.elementsEqual(known.lazy.map(\.id)) {
      if !devices.isEmpty { send(UpdateQueue.Update(characteristic: path, value: value, devices: nil)) }
      return nil
    }
    let addressed = Set(centrals)
    let named = zip(devices, known).filter { addressed.contains($1.id) }.map(\.0)
    guard !named.isEmpty else { return nil }
    let others = devices.count - named.count
    // bluetoothd takes an empty packet for the end of a stream.
    let canStream =
      !value.isEmpty && named.allSatisfy { streams.isOpen(NotifyStreams.ID(characteristic: path, device: $0)) }
    guard others == 0 || canStream || mayReachOthers else {
      let those = others == 1 ? "another subscriber" : "\(others) other subscribers"
      return RadioFailure("bluetoothd would send the update to \(those) of the characteristic too")
    }
    send(UpdateQueue.Update(characteristic: path, value: value, devices: others > 0 && canStream ? named : nil))
    return nil
  }

  /// bluetoothd does not report which updates it has sent. While it takes no signals, no update counts as carried.
  package func uncarriedUpdates(to central: CentralID) -> Int {
    guard connection.assumeIsolated({ $0.outgoingSize < Self.outgoingLimit }) else { return .max }
    return updates.count { devices.device(at: $0).address == central.rawValue }
  }

  /// In bytes: a hundred updates of the maximum length.
  private static let outgoingLimit = 65_536

  private func send(_ update: UpdateQueue.Update) {
    if let step = updates.add(update) { perform(step) }
  }

  private func perform(_ step: UpdateQueue.Step) {
    switch step {
    case .emit(let update): emit(update)
    case .write(let update): for socket in sockets(of: update) { socket.send(update.value) }
    case .ask:
      afterReply { this in
        this.updates.received()
        this.sendWaitingUpdates()
      }
    case .check(let delay): schedule(.updates, after: delay) { $0.sendWaitingUpdates() }
    }
  }

  private func sockets(of update: UpdateQueue.Update) -> [SequencedSocket] {
    streams.sockets(of: update.characteristic, update.devices ?? [])
  }

  private func emit(_ update: UpdateQueue.Update) {
    let signal = Signal.propertiesChanged(
      update.characteristic, BlueZName.gattCharacteristic, changed: [("Value", .bytes(update.value))])
    // Sending fails only beyond a limit that attribute values cannot reach, or without a bus.
    connection.assumeIsolated { try? $0.emit(signal) }
  }

  private func sendWaitingUpdates() {
    while let step = updates.next(isUnread: { sockets(of: $0).contains(where: \.hasUnread) }) {
      perform(step)
      switch step {
      case .emit, .write: continue
      case .ask, .check: return
      }
    }
  }

  /// Runs `body` once bluetoothd has answered a call, and so has handled and reported everything before it.
  private func afterReply(_ body: @escaping @Sendable (isolated BlueZRadio) -> Void) {
    let call = MethodCall.toDaemon(
      at: adapter?.path ?? BlueZName.root, .properties, "Get",
      [.string(BlueZName.adapter.rawValue), .string("Powered")])
    start(call) { this, _ in body(this) }
  }

  // MARK: Subscriptions

  package func subscribers(of characteristic: AttributeHandle) -> [RadioCentral] {
    applications.path(of: characteristic).map { devices.centrals(at: subscribers.subscribers(of: $0)) } ?? []
  }

  package func retainedSubscribers(of characteristic: AttributeHandle) -> [RadioCentral] {
    guard let path = applications.path(of: characteristic) else { return [] }
    return subscribers.retainedSubscribers(of: path).map { devices.central(at: $0) }
  }

  /// Answers with a stream for the central, or with a refusal, so that bluetoothd calls StartNotify now and
  /// AcquireNotify again for the next central. bluetoothd delivers every update that follows this reply. The phone
  /// saves the subscription before the central receives its response; updates must follow the response.
  func acquireNotify(
    _ call: IncomingCall, of application: GATTApplication, number: Int, at handle: AttributeHandle
  ) {
    let refusal = BlueZError.notSupported.reply("notifications go by PropertiesChanged")
    let options = call.call.arguments[0].asProperties ?? [:]
    guard let device = options["device"]?.path, !applications.isLeaving(number) else {
      return reply(call, .failure(refusal))
    }
    devices.noteMTU(options["mtu"], of: device)
    let path = call.call.path
    let id = NotifyStreams.ID(characteristic: path, device: device)
    if streams.remove(id), let change = subscribers.unsubscribe(device, from: path) { reportChange(change, on: handle) }
    if let change = subscribers.subscribe(device, to: path) { reportChange(change, on: handle) }
    guard offersStreams, application.notifying.contains(path), let (own, other) = SequencedSocket.pair() else {
      return reply(call, .failure(refusal))
    }
    let source = own.watch(
      on: loop, packet: { _ in },
      end: callback { this in
        this.streams.ended(id)
        this.judgeStreams()
      })
    streams.open(id, NotifyStreams.Socket(socket: own, source: source))
    reply(call, .success([.unixFD(other), .uint16(UInt16(clamping: devices.mtu(of: device)))]))
  }

  /// Streams of indications are not taken: when a central's stream ends before it confirms, bluetoothd uses memory that
  /// it has freed.
  private var offersStreams: Bool { version.map { !DaemonQuirk.sendsAcquiredToAll.applies(to: $0) } ?? false }

  private func judgeStreams() {
    guard let turn = streams.beginTurn() else { return }
    afterReply { this in
      // The end of a stream before the reply may be noticed after the reply.
      _ = this.streams.endClosed()
      for id in this.streams.judge(turn) {
        guard let change = this.subscribers.unsubscribe(id.device, from: id.characteristic) else { continue }
        this.reportChanges([(id.characteristic, change)])
      }
      this.judgeStreams()
      this.resumeCalls()
    }
  }

  /// Whether a request of the device must wait until an earlier unsubscription is reported, which takes a turn.
  ///
  /// bluetoothd closes the stream before it passes on the device's next requests.
  func mustWait(for device: ObjectPath) -> Bool {
    if streams.isEmpty, !requests.isWaiting() { return false }
    guard !requests.isWaiting(device) else { return true }
    if streams.endClosed(of: device) { judgeStreams() }
    return streams.isUndecided(device)
  }

  private func resumeCalls() {
    for waiting in requests.resume() {
      guard let application = applications.applications[waiting.application] else {
        reply(waiting.call, .failure(BlueZError.notSupported.reply("the service has been removed")))
        continue
      }
      receive(waiting.call, waiting.application, application)
    }
  }

  /// The device, which was subscribed to these characteristics, has disconnected.
  func endStreams(of device: RemoteDevice, _ characteristics: [ObjectPath]) {
    streams.disconnected(device.path, isBonded: device.hasBond, from: characteristics)
    judgeStreams()
  }

  /// Reports the end of all subscriptions of an application that bluetoothd forgets.
  func forgetSubscribers(of number: Int) {
    guard let application = applications.applications[number] else { return }
    streams.forget(below: application.root)
    for (path, change) in subscribers.forget(below: application.root) {
      if let handle = application.handle(at: path) { reportChange(change, on: handle) }
    }
  }

  /// Reports the changes of several characteristics when a device connects or disconnects.
  func reportChanges(_ changes: [(characteristic: ObjectPath, change: SubscriberTable.Change)]) {
    for (path, change) in changes {
      guard let number = path.applicationNumber, let handle = applications.applications[number]?.handle(at: path) else {
        continue
      }
      reportChange(change, on: handle)
    }
  }

  func reportChange(_ change: SubscriberTable.Change, on handle: AttributeHandle) {
    switch change {
    case .subscribed(let path): report(.subscribed(handle, devices.central(at: path)))
    case .unsubscribed(let path): report(.unsubscribed(handle, devices.central(at: path)))
    }
  }
}

extension ObjectPath {
  /// 7 for paths below `/org/blepera/app7`.
  fileprivate var applicationNumber: Int? {
    let elements = rawValue.split(separator: "/")
    guard elements.count > 2, elements[2].hasPrefix("app") else { return nil }
    return Int(elements[2].dropFirst(3))
  }
}
