import BleperaBluetooth

extension CentralCallback: JSONMessage {
  package static let blank = CentralCallback.didUpdateState(.unknown)

  package static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
    try v.variant(
      "peripheral", it, &read, { if case .peripheral(let id, let callback) = $0 { (id, callback) } else { nil } },
      { v, it throws(V.Failure) in
        let callback = try v.field("callback", it?.1)
        return .peripheral(try v.field("peripheral", it?.0), callback)
      })
    try v.variant(
      "didDiscover", it, &read,
      { if case .didDiscover(let peripheral, let advertisement) = $0 { (peripheral, advertisement) } else { nil } },
      { v, it throws(V.Failure) in
        let advertisement = try v.field("advertisement", it?.1)
        return .didDiscover(try v.field("peripheral", it?.0), advertisement)
      })
    try v.variant("willRestoreState", "state", it, &read, Self.willRestoreState) {
      if case .willRestoreState(let it) = $0 { it } else { nil }
    }
    try v.variant("didUpdateState", "state", it, &read, Self.didUpdateState) {
      if case .didUpdateState(let it) = $0 { it } else { nil }
    }
    try v.variant("didConnect", "peripheral", it, &read, Self.didConnect) {
      if case .didConnect(let it) = $0 { it } else { nil }
    }
    try v.variant(
      "didFailToConnect", it, &read,
      { if case .didFailToConnect(let id, let error) = $0 { (id, error) } else { nil } },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.1 ?? nil)
        return .didFailToConnect(try v.field("peripheral", it?.0), error: error)
      })
    try v.variant(
      "didDisconnectPeripheral", it, &read,
      {
        if case .didDisconnectPeripheral(let id, let time, let isReconnecting, let error) = $0 {
          (id, time.inMilliseconds, isReconnecting, error)
        } else {
          nil
        }
      },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.3 ?? nil)
        let isReconnecting = try v.field("isReconnecting", it?.2)
        let id = try v.field("peripheral", it?.0)
        let time = try v.field(
          "timestamp", it?.1, "The end of the connection by the phone's clock, in milliseconds since 1970.")
        return .didDisconnectPeripheral(
          id, timestamp: Timestamp(milliseconds: time), isReconnecting: isReconnecting, error: error)
      })
    try v.variant(
      "connectionEventDidOccur", it, &read,
      { if case .connectionEventDidOccur(let it, let isConnected) = $0 { (it, isConnected) } else { nil } },
      { v, it throws(V.Failure) in
        let isConnected = try v.field("isConnected", it?.1)
        return .connectionEventDidOccur(try v.field("peripheral", it?.0), isConnected: isConnected)
      })
    try v.variant("didRetrievePeripherals", "peripherals", it, &read, Self.didRetrievePeripherals) {
      if case .didRetrievePeripherals(let it) = $0 { it } else { nil }
    }
  }
}

extension PeripheralCallback: JSONMessage {
  package static let blank = PeripheralCallback.didSendWritesWithoutResponse(0)

  package static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
    try v.variant(
      "didUpdateValue", it, &read,
      { if case .didUpdateValue(let handle, let value, let error) = $0 { (handle, value, error) } else { nil } },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.2 ?? nil)
        let handle = try v.field("handle", it?.0)
        return .didUpdateValue(handle, value: try v.field("value", it?.1), error: error)
      })
    try v.variant(
      "didWriteValue", it, &read,
      { if case .didWriteValue(let handle, let error) = $0 { (handle, error) } else { nil } },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.1 ?? nil)
        return .didWriteValue(try v.field("handle", it?.0), error: error)
      })
    try v.variant(
      "didSendWritesWithoutResponse", it, &read,
      { if case .didSendWritesWithoutResponse(let count, let isSilent) = $0 { (count, isSilent) } else { nil } },
      { v, it throws(V.Failure) in
        let count = try v.field("count", it?.0, ["minimum": 1])
        let isSilent = try v.optional("silent", it.flatMap { $0.1 ? true : nil }, ["const": true])
        return .didSendWritesWithoutResponse(count, isSilent: isSilent ?? false)
      })
    try v.variant("didUpdate", "peripheral", it, &read, Self.didUpdate) {
      if case .didUpdate(let it) = $0 { it } else { nil }
    }
    try v.variant("didModifyServices", "services", it, &read, Self.didModifyServices) {
      if case .didModifyServices(let it) = $0 { it } else { nil }
    }
    try v.variant(
      "didReadRSSI", it, &read, { if case .didReadRSSI(let rssi, let error) = $0 { (rssi, error) } else { nil } },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.1 ?? nil)
        return .didReadRSSI(try v.field("rssi", it?.0), error: error)
      })
    try v.variant(
      "didDiscoverServices", it, &read,
      { if case .didDiscoverServices(let services, let error) = $0 { (services, error) } else { nil } },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.1 ?? nil)
        return .didDiscoverServices(try v.field("services", it?.0), error: error)
      })
    try v.variant(
      "didDiscoverIncludedServices", it, &read,
      {
        if case .didDiscoverIncludedServices(let services, let service, let error) = $0 {
          (services, service, error)
        } else {
          nil
        }
      },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.2 ?? nil)
        let service = try v.field("service", it?.1)
        return .didDiscoverIncludedServices(try v.field("services", it?.0), service: service, error: error)
      })
    try v.variant(
      "didDiscoverCharacteristics", it, &read,
      {
        if case .didDiscoverCharacteristics(let found, let service, let error) = $0 {
          (found, service, error)
        } else {
          nil
        }
      },
      { v, it throws(V.Failure) in
        let found = try v.field("characteristics", it?.0)
        let error = try v.optional("error", it?.2 ?? nil)
        return .didDiscoverCharacteristics(found, service: try v.field("service", it?.1), error: error)
      })
    try v.variant(
      "didDiscoverDescriptors", it, &read,
      {
        if case .didDiscoverDescriptors(let found, let characteristic, let error) = $0 {
          (found, characteristic, error)
        } else {
          nil
        }
      },
      { v, it throws(V.Failure) in
        let characteristic = try v.field("characteristic", it?.1)
        let found = try v.field("descriptors", it?.0)
        return .didDiscoverDescriptors(
          found, characteristic: characteristic, error: try v.optional("error", it?.2 ?? nil))
      })
    try v.variant(
      "didUpdateNotificationState", it, &read,
      {
        if case .didUpdateNotificationState(let handle, let isNotifying, let error) = $0 {
          (handle, isNotifying, error)
        } else {
          nil
        }
      },
      { v, it throws(V.Failure) in
        let handle = try v.field("characteristic", it?.0)
        let error = try v.optional("error", it?.2 ?? nil)
        return .didUpdateNotificationState(
          characteristic: handle, isNotifying: try v.field("isNotifying", it?.1), error: error)
      })
    v.note(
      """
      Without an error, a stream socket for the bytes of the channel comes with the line, as a descriptor (SCM_RIGHTS).
      """)
    try v.variant(
      "didOpenL2CAPChannel", it, &read,
      { if case .didOpenL2CAPChannel(let id, let psm, let error) = $0 { (id, psm, error) } else { nil } },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.2 ?? nil)
        let id = try v.field("id", it?.0)
        return .didOpenL2CAPChannel(id: id, psm: try v.field("psm", it?.1), error: error)
      })
  }
}
