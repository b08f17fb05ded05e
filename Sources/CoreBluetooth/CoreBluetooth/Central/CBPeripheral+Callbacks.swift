import BleperaAppLink

extension CBPeripheral {
  /// Handles a callback, on the manager's queue.
  func handle(_ callback: PeripheralCallback) {
    switch callback {
    case .didUpdate(let description):
      let (isRenamed, isReady) = record.access { values in
        let former = values
        (values.name, values.mtu, values.places) = (description.name, description.mtu, description.writePlaces)
        return (former.name != values.name, !former.hasPlace && values.hasPlace)
      }
      if isRenamed { delegate?.peripheralDidUpdateName(self) }
      if isReady { delegate?.peripheralIsReady(toSendWriteWithoutResponse: self) }
    case .didModifyServices(let handles):
      let removed = record.access { $0.attributes.remove(handles) }
      delegate?.peripheral(self, didModifyServices: removed)
    case .didReadRSSI(let rssi, let error):
      delegate?.peripheral(self, didReadRSSI: NSNumber(value: rssi), error: error?.error)
    case .didDiscoverServices(let services, let error):
      record.access { $0.attributes.discover(error == nil ? services : nil, of: self) }
      delegate?.peripheral(self, didDiscoverServices: error?.error)
    case .didDiscoverIncludedServices(let services, let handle, let error):
      guard let service = find({ $0.service(handle) }) else { return }
      if error == nil { record.access { $0.attributes.discover(services, includedBy: service, of: self) } }
      delegate?.peripheral(self, didDiscoverIncludedServicesFor: service, error: error?.error)
    case .didDiscoverCharacteristics(let characteristics, let handle, let error):
      guard let service = find({ $0.service(handle) }) else { return }
      if error == nil { record.access { $0.attributes.discover(characteristics, of: service) } }
      delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: error?.error)
    case .didDiscoverDescriptors(let descriptors, let handle, let error):
      guard let characteristic = find({ $0.characteristic(handle) }) else { return }
      if error == nil { record.access { $0.attributes.discover(descriptors, of: characteristic) } }
      delegate?.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: error?.error)
    case .didUpdateValue(let handle, let value, let error):
      if let characteristic = find({ $0.characteristic(handle) }) {
        if error == nil { characteristic.cached = Data(value) }
        delegate?.peripheral(self, didUpdateValueFor: characteristic, error: error?.error)
      } else if let descriptor = find({ $0.descriptor(handle) }) {
        if error == nil { descriptor.content = descriptor.content(of: value) }
        delegate?.peripheral(self, didUpdateValueFor: descriptor, error: error?.error)
      }
    case .didWriteValue(let handle, let error):
      if let characteristic = find({ $0.characteristic(handle) }) {
        delegate?.peripheral(self, didWriteValueFor: characteristic, error: error?.error)
      } else if let descriptor = find({ $0.descriptor(handle) }) {
        delegate?.peripheral(self, didWriteValueFor: descriptor, error: error?.error)
      }
    case .didUpdateNotificationState(let handle, let isNotifying, let error):
      guard let characteristic = find({ $0.characteristic(handle) }) else { return }
      characteristic.isSubscribed = isNotifying
      delegate?.peripheral(self, didUpdateNotificationStateFor: characteristic, error: error?.error)
    case .didOpenL2CAPChannel(let id, let psm, let error):
      let channel = error == nil ? link.channel(id, psm, of: self) : nil
      guard channel != nil || error != nil else { return }
      delegate?.peripheral(self, didOpen: channel, error: error?.error)
    case .didSendWritesWithoutResponse: break
    }
  }

  private func find<Attribute>(_ body: (RemoteAttributes) -> Attribute?) -> Attribute? {
    record.access { body($0.attributes) }
  }
}
