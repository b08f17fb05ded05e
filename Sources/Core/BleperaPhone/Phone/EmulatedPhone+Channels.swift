import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules

extension EmulatedPhone {
  func publishChannel(isEncrypted: Bool, by manager: ManagerID, of id: AppID) {
    guard apps[id] != nil else { return }
    let call = channels.request(ChannelTable.Published(app: id, manager: manager, isEncrypted: isEncrypted))
    withRadio { radio in
      radio.publishChannel(isEncrypted: isEncrypted) { [weak self] result in
        self?.assumeIsolated { $0.published(call, result) }
      }
    }
  }

  private func published(_ call: Int, _ result: Result<L2CAPPSM, RadioFailure>) {
    guard let channel = channels.take(call) else {
      // Nobody waits for the channel any more.
      if case .success(let psm) = result { withRadio { $0.unpublishChannel(psm) } }
      return
    }
    switch result {
    case .success(let psm):
      channels.publish(channel, at: psm)
      report(.l2capPublished(psm, isEncrypted: channel.isEncrypted), of: channel.app)
      notify(channel.manager, of: channel.app, .didPublishL2CAPChannel(psm: psm, error: nil))
    case .failure(let failure):
      report(.l2capFailed(failure), of: channel.app)
      notify(channel.manager, of: channel.app, .didPublishL2CAPChannel(psm: nil, error: "\(failure)"))
    }
  }

  func unpublishChannel(_ psm: L2CAPPSM, by manager: ManagerID, of id: AppID) {
    let isOwn = channels.publisher(of: psm)?.app == id
    if isOwn { removeChannel(psm) }
    let error = isOwn ? nil : "the app has not published a channel with the PSM \(psm)"
    notify(manager, of: id, .didUnpublishL2CAPChannel(psm, error: error))
  }

  private func removeChannel(_ psm: L2CAPPSM) {
    guard let channel = channels.unpublish(psm) else { return }
    withRadio { $0.unpublishChannel(psm) }
    report(.l2capUnpublished(psm), of: channel.app)
  }

  /// A central has opened a channel.
  func channelOpened(_ psm: L2CAPPSM, _ central: RadioCentral, _ stream: any ByteStream) {
    guard let published = channels.publisher(of: psm) else { return stream.close() }
    let number = channels.add(
      ChannelTable.Open(app: published.app, psm: psm, peer: .central(central.id), stream: stream))
    report(.l2capOpened(.central(central.id), psm), of: published.app)
    let channel = L2CAPChannel(id: number, psm: psm, central: self.central(central))
    notify(published.manager, of: published.app, .didOpenL2CAPChannel(channel))
  }

  /// An app has opened a channel of a peripheral.
  func channelOpened(
    _ psm: L2CAPPSM, at peripheral: PeripheralID, for user: CentralUser, session: Int?,
    _ result: Result<any ByteStream, ProcedureFailure>
  ) {
    // With the connection or the process of the app its requests have ended, without a callback.
    guard let app = apps[user.app], app.session == session, app.isRunning,
      let id = central.known.identifier(of: peripheral), central.isConnected(user, to: id)
    else {
      if case .success(let stream) = result { stream.close() }
      return
    }
    switch result {
    case .success(let stream):
      let number = channels.add(
        ChannelTable.Open(app: user.app, psm: psm, peer: .peripheral(peripheral), stream: stream))
      report(.l2capOpened(.peripheral(peripheral), psm), of: user.app)
      notifyCentral(user, .peripheral(id, .didOpenL2CAPChannel(id: number, psm: psm, error: nil)), .response)
    case .failure(let failure):
      use { $0.fail(.openL2CAPChannel(psm), of: id, for: user, failure.error) }
    }
  }

  /// Passes the app its end of a channel with the next message.
  ///
  /// - Returns: false if that is not possible, or the channel has ended.
  func connect(_ number: Int, over link: any AppLinkEnd<PhoneMessage, AppMessage>) -> Bool {
    guard let channel = channels.unconnected(number) else { return false }
    guard let stream = (link as? any StreamCarrier)?.passStream(on: loop) else {
      close(channel, number)
      return false
    }
    let pump = StreamPump(loop: loop, channel.stream, stream) { [weak self] counts in
      self?.assumeIsolated { $0.channelEnded(number, counts) }
    }
    channels.connect(number, pump)
    pump.assumeIsolated { $0.start() }
    return true
  }

  private func close(_ channel: ChannelTable.Open, _ number: Int) {
    if let pump = channel.pump { return pump.assumeIsolated { $0.close() } }
    channel.stream.close()
    channelEnded(number, StreamPump.Counts())
  }

  private func channelEnded(_ number: Int, _ counts: StreamPump.Counts) {
    guard let channel = channels.remove(number) else { return }
    report(
      .l2capClosed(channel.peer, channel.psm, received: counts.fromFirst, sent: counts.toFirst), of: channel.app)
  }

  /// Lets the data of an app's channels flow, or wait.
  func pauseChannels(of id: AppID, _ isPaused: Bool) {
    for (_, channel) in channels.open(of: id) {
      channel.pump?.assumeIsolated { if isPaused { $0.pause() } else { $0.resume() } }
    }
  }

  /// - Parameter app: nil for all apps.
  func removeAllChannels(of app: AppID?) {
    channels.removePending(by: app)
    for (number, channel) in channels.open(of: app) { close(channel, number) }
    for (psm, _) in channels.published(by: app) { removeChannel(psm) }
  }

  var channelStatuses: [PhoneStatus.Channel]? {
    let statuses = channels.published().map { psm, channel in
      PhoneStatus.Channel(
        psm: psm, app: identifier(channel.app), encrypted: channel.isEncrypted,
        centrals: channels.open().compactMap { _, open in
          guard open.psm == psm, case .central(let central) = open.peer else { return nil }
          return central.rawValue
        })
    }
    return statuses.isEmpty ? nil : statuses
  }
}
