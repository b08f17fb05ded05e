package import BleperaBluetooth

/// A call of an app's `CBCentralManager`. Identifiers of peripherals are those of `CBPeripheral.identifier`.
package enum CentralCall: Hashable, Sendable {
  /// Replaces the manager's scan.
  case scanForPeripherals(ScanRequest)
  case stopScan
  /// Never times out; `didConnect` or `didFailToConnect` follows.
  case connect(PeripheralID, ConnectOptions)
  /// Ends the app's use of the connection, or the wait for it: `didDisconnectPeripheral` follows.
  case cancelPeripheralConnection(PeripheralID)
  /// The app has released the object of a peripheral, which ends its connection or the wait for it.
  case release(PeripheralID)
  /// The response is `didRetrievePeripherals`, with the peripherals that the phone knows.
  case retrievePeripherals([PeripheralID])
  /// The response is `didRetrievePeripherals`, with the connected peripherals that have one of the services.
  case retrieveConnectedPeripherals([BluetoothUUID])
  /// Nil ends the reports.
  case registerForConnectionEvents(ConnectionEventMatching?)
  indirect case peripheral(PeripheralID, PeripheralCall)
}

/// A call of an app's `CBPeripheral`. A service has the handle of its declaration, a characteristic that of its value.
package enum PeripheralCall: Hashable, Sendable {
  case readRSSI
  /// Nil for all, here and in the calls that follow.
  case discoverServices([BluetoothUUID]?)
  case discoverIncludedServices([BluetoothUUID]?, service: AttributeHandle)
  case discoverCharacteristics([BluetoothUUID]?, service: AttributeHandle)
  case discoverDescriptors(characteristic: AttributeHandle)
  /// Reads a characteristic or a descriptor; the response is `didUpdateValue`.
  case readValue(AttributeHandle)
  /// Writes a characteristic or a descriptor; `didWriteValue` responds to a write with response.
  case writeValue(AttributeHandle, value: [UInt8], withResponse: Bool)
  case setNotifyValue(Bool, characteristic: AttributeHandle)
  case openL2CAPChannel(L2CAPPSM)
}

/// The options of `registerForConnectionEvents(options:)`.
package struct ConnectionEventMatching: Hashable, Sendable {
  package var services: [BluetoothUUID]
  package var peripherals: [PeripheralID]

  package init(services: [BluetoothUUID], peripherals: [PeripheralID]) {
    self.services = services
    self.peripherals = peripherals
  }
}

extension CentralCall: JSONMessage {
  package static let blank = CentralCall.stopScan

  package static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
    try v.variant("scanForPeripherals", "scan", it, &read, Self.scanForPeripherals) {
      if case .scanForPeripherals(let it) = $0 { it } else { nil }
    }
    v.variant("stopScan", .stopScan, it, &read)
    try v.variant(
      "connect", it, &read, { if case .connect(let id, let options) = $0 { (id, options) } else { nil } },
      { v, it throws(V.Failure) in
        let options = try v.optional("options", it?.1)
        return .connect(try v.field("peripheral", it?.0), options ?? ConnectOptions())
      })
    try v.variant("cancelPeripheralConnection", "peripheral", it, &read, Self.cancelPeripheralConnection) {
      if case .cancelPeripheralConnection(let it) = $0 { it } else { nil }
    }
    try v.variant("release", "peripheral", it, &read, Self.release) {
      if case .release(let it) = $0 { it } else { nil }
    }
    try v.variant("retrievePeripherals", "peripherals", it, &read, Self.retrievePeripherals) {
      if case .retrievePeripherals(let it) = $0 { it } else { nil }
    }
    try v.variant("retrieveConnectedPeripherals", "services", it, &read, Self.retrieveConnectedPeripherals) {
      if case .retrieveConnectedPeripherals(let it) = $0 { it } else { nil }
    }
    try v.variant(
      "registerForConnectionEvents", it, &read,
      { if case .registerForConnectionEvents(let it) = $0 { (it, ()) } else { nil } },
      { v, it throws(V.Failure) in
        .registerForConnectionEvents(try v.optional("matching", it?.0 ?? nil, "Absent to end the reports."))
      })
    try v.variant(
      "peripheral", it, &read, { if case .peripheral(let id, let call) = $0 { (id, call) } else { nil } },
      { v, it throws(V.Failure) in
        let call = try v.field("call", it?.1)
        return .peripheral(try v.field("peripheral", it?.0), call)
      })
  }
}

extension PeripheralCall: JSONMessage {
  package static let blank = PeripheralCall.readRSSI

  package static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
    v.variant("readRSSI", .readRSSI, it, &read)
    try v.variant(
      "discoverServices", it, &read,
      { if case .discoverServices(let it) = $0 { (it, ()) } else { nil } },
      { v, it throws(V.Failure) in .discoverServices(try v.optional("services", it?.0 ?? nil, "Absent for all.")) })
    try v.variant(
      "discoverIncludedServices", it, &read,
      { if case .discoverIncludedServices(let it, let service) = $0 { (it, service) } else { nil } },
      { v, it throws(V.Failure) in
        let service = try v.field("service", it?.1)
        return .discoverIncludedServices(
          try v.optional("services", it?.0 ?? nil, "Absent for all."), service: service)
      })
    try v.variant(
      "discoverCharacteristics", it, &read,
      { if case .discoverCharacteristics(let it, let service) = $0 { (it, service) } else { nil } },
      { v, it throws(V.Failure) in
        let characteristics = try v.optional("characteristics", it?.0 ?? nil, "Absent for all.")
        return .discoverCharacteristics(characteristics, service: try v.field("service", it?.1))
      })
    try v.variant("discoverDescriptors", "characteristic", it, &read, Self.discoverDescriptors(characteristic:)) {
      if case .discoverDescriptors(let it) = $0 { it } else { nil }
    }
    try v.variant("readValue", "handle", it, &read, Self.readValue, "A characteristic's or a descriptor's handle.") {
      if case .readValue(let it) = $0 { it } else { nil }
    }
    try v.variant(
      "writeValue", it, &read,
      {
        if case .writeValue(let handle, let value, let withResponse) = $0 { (handle, value, withResponse) } else { nil }
      },
      { v, it throws(V.Failure) in
        let handle = try v.field("handle", it?.0, "A characteristic's or a descriptor's handle.")
        let value = try v.field("value", it?.1)
        return .writeValue(handle, value: value, withResponse: try v.field("withResponse", it?.2))
      })
    try v.variant(
      "setNotifyValue", it, &read,
      { if case .setNotifyValue(let isOn, let handle) = $0 { (isOn, handle) } else { nil } },
      { v, it throws(V.Failure) in
        let handle = try v.field("characteristic", it?.1)
        return .setNotifyValue(try v.field("enabled", it?.0), characteristic: handle)
      })
    try v.variant("openL2CAPChannel", "psm", it, &read, Self.openL2CAPChannel) {
      if case .openL2CAPChannel(let it) = $0 { it } else { nil }
    }
  }
}

extension ConnectOptions: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    func flag(_ isOn: Bool?) -> Bool? { isOn == true ? true : nil }
    var options = Self()
    options.autoReconnects = try visitor.optional("autoReconnects", flag(value?.autoReconnects)) ?? false
    options.notifiesOnConnection =
      try visitor.optional("notifiesOnConnection", flag(value?.notifiesOnConnection)) ?? false
    options.notifiesOnDisconnection =
      try visitor.optional("notifiesOnDisconnection", flag(value?.notifiesOnDisconnection)) ?? false
    options.notifiesOnNotification =
      try visitor.optional("notifiesOnNotification", flag(value?.notifiesOnNotification)) ?? false
    options.requiresANCS = try visitor.optional("requiresANCS", flag(value?.requiresANCS)) ?? false
    let delay = value.flatMap { $0.startDelay > 0 ? Int(exactly: ($0.startDelay * 1000).rounded()) ?? .max : nil }
    options.startDelay = Double(try visitor.optional("startDelayMilliseconds", delay, ["minimum": 0]) ?? 0) / 1000
    return options
  }
}

extension ConnectionEventMatching: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let peripherals = try visitor.field("peripherals", value?.peripherals)
    return Self(services: try visitor.field("services", value?.services), peripherals: peripherals)
  }
}

extension PeripheralID: JSONRaw {
  package static var note: JSONTree { "CBPeripheral.identifier" }
}

extension AttributeHandle: JSONRaw {
  package static var note: JSONTree { ["minimum": 1] }
}

extension ScanRequest: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let allowsDuplicates = try visitor.optional("allowsDuplicates", value?.allowsDuplicates == true ? true : nil)
    let services = try visitor.optional("services", value?.services, "Absent or empty for all.")
    let solicited = try visitor.optional(
      "solicitedServices", value?.solicitedServices.isEmpty == false ? value?.solicitedServices : nil)
    return Self(
      services: services ?? [], allowsDuplicates: allowsDuplicates ?? false, solicitedServices: solicited ?? [])
  }
}
