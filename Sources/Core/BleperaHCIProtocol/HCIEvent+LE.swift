package import BleperaBluetooth

/// The end of an attempt to connect, or a new connection, by either of the two events that report one.
package struct HCIConnectionComplete: Hashable, Sendable {
  package var status: UInt8 = 0
  package var handle: UInt16 = 0
  package var isCentral = true
  package var peer = DeviceAddress(bits: 0)
  /// Whether `peer` is an identity address that the controller has resolved.
  package var isResolved = false
  /// The private addresses that the controller has used and resolved; nil for none.
  package var ownPrivate: DeviceAddress?
  package var peerPrivate: DeviceAddress?
  /// In units of 1.25 ms.
  package var interval: UInt16 = 0
  package var latency: UInt16 = 0
  /// In units of 10 ms.
  package var timeout: UInt16 = 0
  package var accuracy: UInt8 = 0

  package init() {}

  fileprivate mutating func code(_ coder: inout HCICoder, isEnhanced: Bool) throws(HCIError) {
    try coder.number(&status)
    try coder.number(&handle)
    var isPeripheral = !isCentral
    try coder.flag(&isPeripheral)
    isCentral = !isPeripheral
    try coder.peerAddress(&peer, isResolved: &isResolved)
    if isEnhanced {
      var (own, other) = (ownPrivate ?? DeviceAddress(bits: 0), peerPrivate ?? DeviceAddress(bits: 0))
      try coder.address(&own, isRandom: true)
      try coder.address(&other, isRandom: true)
      (ownPrivate, peerPrivate) = (own.bits == 0 ? nil : own, other.bits == 0 ? nil : other)
    }
    try coder.number(&interval)
    try coder.number(&latency)
    try coder.number(&timeout)
    try coder.number(&accuracy)
  }
}

/// LE Connection Complete.
package struct HCILEConnectionComplete: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x01)
  package var complete = HCIConnectionComplete()

  package init() {}
  package init(_ complete: HCIConnectionComplete) { self.complete = complete }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try complete.code(&coder, isEnhanced: false)
  }
}

/// LE Enhanced Connection Complete.
package struct HCIEnhancedConnectionComplete: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x0A, version2: 0x29)
  package var complete = HCIConnectionComplete()

  package init() {}
  package init(_ complete: HCIConnectionComplete) { self.complete = complete }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try complete.code(&coder, isEnhanced: true) }
}

package struct HCIAdvertisingReport: HCIParameters {
  /// 0 connectable and scannable, 1 directed, 2 scannable, 3 neither, 4 a scan response.
  package var type: UInt8 = 0
  package var address = DeviceAddress(bits: 0)
  package var isResolved = false
  package var data: [UInt8] = []
  /// In dBm; 127 where the controller does not know.
  package var rssi: Int8 = 127

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&type)
    try coder.peerAddress(&address, isResolved: &isResolved)
    try coder.data(&data)
    try coder.number(&rssi)
  }
}

package struct HCIAdvertisingReports: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x02)
  package var reports: [HCIAdvertisingReport] = []

  package init() {}
  package init(_ reports: [HCIAdvertisingReport]) { self.reports = reports }
  /// One report after the other, as controllers send them: the specification's arrays are the same for one report.
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.list(&reports, in: 1...0x19) }
}

package struct HCIExtendedReport: HCIParameters {
  /// The bits of the type of an event (7.7.65.13).
  package struct Kind: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }
    package static let connectable = Self(rawValue: 1 << 0)
    package static let scannable = Self(rawValue: 1 << 1)
    package static let directed = Self(rawValue: 1 << 2)
    package static let response = Self(rawValue: 1 << 3)
    package static let legacy = Self(rawValue: 1 << 4)
    /// More data of this advertisement follows.
    package static let incomplete = Self(rawValue: 1 << 5)
    /// The controller has cut the data.
    package static let truncated = Self(rawValue: 1 << 6)
  }

  package var kind: Kind = []
  package var address = DeviceAddress(bits: 0)
  package var isResolved = false
  package var secondary: UInt8 = 0
  /// 255 without a set.
  package var set: UInt8 = 0xFF
  package var power: Int8 = 127
  package var rssi: Int8 = 127
  package var data: [UInt8] = []

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    var bits = kind.rawValue
    try coder.number(&bits)
    kind = Kind(rawValue: bits)
    // An anonymous advertisement has the type 255 and no address.
    try coder.peerAddress(&address, isResolved: &isResolved)
    // The primary PHY.
    try coder.unused([1])
    try coder.number(&secondary)
    try coder.number(&set)
    try coder.number(&power)
    try coder.number(&rssi)
    // The interval of periodic advertising, and the address of directed advertising.
    try coder.unused([UInt8](repeating: 0, count: 9))
    try coder.data(&data)
  }
}

package struct HCIExtendedReports: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x0D)
  package var reports: [HCIExtendedReport] = []

  package init() {}
  package init(_ reports: [HCIExtendedReport]) { self.reports = reports }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.list(&reports, in: 1...0x0A) }
}

package struct HCIConnectionUpdateComplete: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x03)
  package var status: UInt8 = 0
  package var handle: UInt16 = 0
  /// In units of 1.25 ms.
  package var interval: UInt16 = 0
  package var latency: UInt16 = 0
  /// In units of 10 ms.
  package var timeout: UInt16 = 0

  package init() {}
  package init(_ handle: UInt16, status: UInt8, interval: UInt16, latency: UInt16, timeout: UInt16) {
    (self.handle, self.status) = (handle, status)
    (self.interval, self.latency, self.timeout) = (interval, latency, timeout)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&status)
    try coder.number(&handle)
    try coder.number(&interval)
    try coder.number(&latency)
    try coder.number(&timeout)
  }
}

/// LE Read Remote Features Complete.
package struct HCIRemoteFeatures: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x04)
  package var status: UInt8 = 0
  package var handle: UInt16 = 0
  package var features: UInt64 = 0

  package init() {}
  package init(_ handle: UInt16, features: UInt64) { (self.handle, self.features) = (handle, features) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&status)
    try coder.number(&handle)
    try coder.number(&features)
  }
}

package struct HCILongTermKeyRequest: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x05)
  package var handle: UInt16 = 0
  package var random: UInt64 = 0
  package var diversifier: UInt16 = 0

  package init() {}
  package init(_ handle: UInt16, random: UInt64, diversifier: UInt16) {
    (self.handle, self.random, self.diversifier) = (handle, random, diversifier)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&handle)
    try coder.number(&random)
    try coder.number(&diversifier)
  }
}

/// LE Remote Connection Parameter Request.
package struct HCIParameterRequest: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x06)
  package var handle: UInt16 = 0
  /// In units of 1.25 ms.
  package var least: UInt16 = 0
  package var most: UInt16 = 0
  package var latency: UInt16 = 0
  /// In units of 10 ms.
  package var timeout: UInt16 = 0

  package init() {}
  package init(_ handle: UInt16, least: UInt16, most: UInt16, latency: UInt16, timeout: UInt16) {
    (self.handle, self.least, self.most) = (handle, least, most)
    (self.latency, self.timeout) = (latency, timeout)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&handle)
    try coder.number(&least)
    try coder.number(&most)
    try coder.number(&latency)
    try coder.number(&timeout)
  }
}

package struct HCIDataLengthChange: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x07)
  package var handle: UInt16 = 0
  package var sent: UInt16 = 27
  package var sentTime: UInt16 = 328
  package var received: UInt16 = 27
  package var receivedTime: UInt16 = 328

  package init() {}
  package init(_ handle: UInt16, sent: HCISuggestedDataLength, received: HCISuggestedDataLength) {
    (self.handle, self.sent, self.received) = (handle, sent.octets, received.octets)
    (sentTime, receivedTime) = (sent.time, received.time)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&handle)
    try coder.number(&sent)
    try coder.number(&sentTime)
    try coder.number(&received)
    try coder.number(&receivedTime)
  }
}

/// LE Scan Timeout.
package struct HCIScanTimeout: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x11)

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {}
}

/// LE Advertising Set Terminated.
package struct HCISetTerminated: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x12)
  /// 0 where a connection has ended the set.
  package var status: UInt8 = 0
  package var set: UInt8 = 0
  package var handle: UInt16 = 0
  package var events: UInt8 = 0

  package init() {}
  package init(_ set: UInt8, status: UInt8 = 0, handle: UInt16 = 0, events: UInt8 = 0) {
    (self.set, self.status, self.handle, self.events) = (set, status, handle, events)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&status)
    try coder.number(&set)
    try coder.number(&handle)
    try coder.number(&events)
  }
}

/// LE PHY Update Complete.
package struct HCIPHYUpdate: HCIEventParameters {
  package static let code = HCIEventCode(le: 0x0C)
  package var status: UInt8 = 0
  package var phys = HCIOfLink<HCIPHYs>()

  package init() {}
  package init(_ handle: UInt16) { phys.handle = handle }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&status)
    try phys.code(&coder)
  }
}
