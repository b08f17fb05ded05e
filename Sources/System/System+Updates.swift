import AppLink
import BlueZ
import DBus
import EventLoop
import GATT
import Policy

/// Values on their way to subscribers, and the queue they wait in.
extension System {
  func update(_ characteristic: CharacteristicID, _ value: [UInt8], of id: AppID) {
    // A suspended app does not run: what it sent before it knew is not sent.
    guard policy.isRunning(id), let app = apps[id], let peripheral, let service = app.services[characteristic.service],
      service.definition.characteristics.indices.contains(characteristic.index)
    else { return }
    let waiting = peripheral.assumeIsolated { $0.connection.assumeIsolated { $0.outgoingSize } }
    let isQueued = waiting < transmitQueue
    app.link.send(.didUpdateValue(characteristic, queued: isQueued))
    guard isQueued else {
      apps[id]?.isWaitingToUpdate = true
      return waitForRoom()
    }
    let address = AttributeAddress(
      application: service.application,
      attribute: AttributeID(service: service.place, characteristic: characteristic.index))
    let devices = peripheral.assumeIsolated { $0.subscribers(of: address) }
    guard !devices.isEmpty, let name = find(address)?.name else { return }
    do {
      try peripheral.assumeIsolated { try $0.notify(address, value) }
      report(.notified(devices, name, value: value))
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
        let size = this.peripheral?.assumeIsolated { $0.connection.assumeIsolated { $0.outgoingSize } } ?? 0
        guard size < this.transmitQueue / 2 else { return this.waitForRoom() }
        for id in this.apps.keys.sorted() where this.apps[id]?.isWaitingToUpdate == true {
          this.apps[id]?.isWaitingToUpdate = false
          this.notify(id, .isReadyToUpdateSubscribers)
        }
      }
    }
  }
}
