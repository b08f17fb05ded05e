package import AppLink
import BlueZ
import DBus
import EventLoop
import GATT
import Policy

/// Values on their way to subscribers, and the queue they wait in.
extension System {
  /// As if the app had sent it over its link, for one that asks from within this process.
  ///
  /// - Returns: whether the value is on its way, as `updateValue` does; false for an app that does not run too.
  package func update(_ characteristic: CharacteristicID, to value: [UInt8], of bundleIdentifier: String) -> Bool {
    guard let id = apps.first(where: { $0.value.identity.bundleIdentifier == bundleIdentifier })?.key else {
      return false
    }
    return update(characteristic, value, of: id)
  }

  @discardableResult
  func update(_ characteristic: CharacteristicID, _ value: [UInt8], of id: AppID) -> Bool {
    // A suspended app does not run: what it sent before it knew is not sent.
    guard policy.isRunning(id), let app = apps[id], let peripheral, let service = app.services[characteristic.service],
      service.definition.characteristics.indices.contains(characteristic.index)
    else { return false }
    let waiting = peripheral.assumeIsolated { $0.queuedSize }
    let isQueued = waiting < transmitQueue
    guard isQueued else {
      app.link?.send(.didUpdateValue(characteristic, queued: false))
      apps[id]?.isWaitingToUpdate = true
      waitForRoom()
      return false
    }
    let address = service.address(of: characteristic.index)
    let devices = peripheral.assumeIsolated { $0.subscribers(of: address) }
    var isKept = false
    if let found = find(address) {
      isKept = awaiting.keep(value, of: id, characteristic)
      if isKept {
        report(.kept(awaiting.centrals(of: id, characteristic).map(\.rawValue), found.name, value: value), of: id)
      }
      if !devices.isEmpty { send(value, address, to: devices, found) }
    }
    guard isKept else {
      app.link?.send(.didUpdateValue(characteristic, queued: true))
      return true
    }
    // Saved together with those that follow closely, and only then said to be queued.
    unsaved.append((id, app.session, characteristic))
    if saving == nil {
      saving = loop.schedule(after: Self.savingDelay) { [weak self] in self?.assumeIsolated { $0.saveUpdates() } }
    }
    return true
  }

  private static let savingDelay = Duration.milliseconds(20)

  private func saveUpdates() {
    saving = nil
    preserve()
    for (id, session, characteristic) in unsaved where apps[id]?.session == session {
      apps[id]?.link?.send(.didUpdateValue(characteristic, queued: true))
    }
    unsaved = []
  }

  /// bluetoothd passes a value on to all its subscribers, which are these.
  func send(_ value: [UInt8], _ address: AttributeAddress, to devices: [RemoteDevice], _ found: Found) {
    guard let peripheral else { return }
    do {
      try peripheral.assumeIsolated { try $0.notify(address, value) }
      report(.notified(devices, found.name, value: value), of: found.app)
    } catch {
      // The connection is gone, which is reported as such.
    }
  }

  /// The bytes that may be queued to the bus before an update is turned away.
  private var transmitQueue: Int { policy.rules.transmitQueue.value }

  private func waitForRoom() {
    guard drain == nil else { return }
    drain = loop.schedule(after: .milliseconds(20)) { [weak self] in
      self?.assumeIsolated { this in
        this.drain = nil
        let size = this.peripheral?.assumeIsolated { $0.queuedSize } ?? 0
        guard size < this.transmitQueue / 2 else { return this.waitForRoom() }
        for id in this.apps.keys.sorted() where this.apps[id]?.isWaitingToUpdate == true {
          this.apps[id]?.isWaitingToUpdate = false
          this.notify(id, .isReadyToUpdateSubscribers)
        }
      }
    }
  }
}
