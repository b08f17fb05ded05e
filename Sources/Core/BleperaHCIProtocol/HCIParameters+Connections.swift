package import BleperaBluetooth

/// A connection and something of it.
package struct HCIOfLink<Value: HCIParameters>: HCIParameters {
  package var handle: UInt16 = 0
  package var value = Value()

  package init() {}
  package init(_ handle: UInt16, _ value: Value) { (self.handle, self.value) = (handle, value) }
  package init<Integer>(_ handle: UInt16, _ number: Integer) where Value == HCINumber<Integer> {
    self.init(handle, HCINumber(number))
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&handle)
    try value.code(&coder)
  }
}

/// The parameters of a connection that an initiator or a central offers (7.8.12, 7.8.18).
package struct HCIConnectionParameters: HCIParameters {
  /// In units of 1.25 ms.
  package var least: UInt16 = 0
  package var most: UInt16 = 0
  package var latency: UInt16 = 0
  /// In units of 10 ms.
  package var timeout: UInt16 = 0
  /// The length of events in units of 0.625 ms.
  package var leastEvent: UInt16 = 0
  package var mostEvent: UInt16 = 0

  package init() {}
  package init(least: UInt16, most: UInt16, latency: UInt16, timeout: UInt16) {
    (self.least, self.most, self.latency, self.timeout) = (least, most, latency, timeout)
  }

  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&least)
    try coder.number(&most)
    try coder.number(&latency)
    try coder.number(&timeout)
    try coder.number(&leastEvent)
    try coder.number(&mostEvent)
  }
}

/// The parameters of LE Create Connection (7.8.12).
package struct HCICreateConnection: HCIParameters {
  /// In units of 0.625 ms.
  package var interval: UInt16 = 0
  package var window: UInt16 = 0
  /// 1 for the devices of the filter accept list.
  package var policy: UInt8 = 0
  package var peer = DeviceAddress(bits: 0)
  package var ownType: UInt8 = 0
  package var parameters = HCIConnectionParameters()

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&interval)
    try coder.number(&window)
    try coder.number(&policy, in: 0...1)
    try coder.typedAddress(&peer)
    try coder.number(&ownType, in: 0...3)
    try parameters.code(&coder)
  }
}

/// The parameters of LE Extended Create Connection for the 1M PHY (7.8.66); more PHYs are not read.
package struct HCIExtendedCreateConnection: HCIParameters {
  package var policy: UInt8 = 0
  package var ownType: UInt8 = 0
  package var peer = DeviceAddress(bits: 0)
  package var phys: UInt8 = 1
  package var interval: UInt16 = 0
  package var window: UInt16 = 0
  package var parameters = HCIConnectionParameters()

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&policy, in: 0...1)
    try coder.number(&ownType, in: 0...3)
    try coder.typedAddress(&peer)
    try coder.number(&phys)
    guard phys & 1 != 0 || !coder.isStrict else { throw phys == 0 ? .invalidParameters : .unsupportedFeature }
    try coder.number(&interval)
    try coder.number(&window)
    try parameters.code(&coder)
  }
}

/// Version 2, which can also answer a device of a periodic train.
package struct HCIExtendedCreateConnectionV2: HCIParameters {
  /// The set of the train and its subevent; 255 for none.
  package var set: UInt8 = 0xFF
  package var subevent: UInt8 = 0xFF
  package var connection = HCIExtendedCreateConnection()

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&set)
    try coder.number(&subevent)
    try connection.code(&coder)
  }
}

package struct HCIChannelMap: HCIParameters {
  package var octets: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0x1F]

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.octets(&octets, 5) }
}

package struct HCIEnableEncryption: HCIParameters {
  package var handle: UInt16 = 0
  package var random: UInt64 = 0
  package var diversifier: UInt16 = 0
  package var key: UInt128 = 0

  package init() {}
  package init(_ handle: UInt16, random: UInt64, diversifier: UInt16, key: UInt128) {
    (self.handle, self.random, self.diversifier, self.key) = (handle, random, diversifier, key)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&handle)
    try coder.number(&random)
    try coder.number(&diversifier)
    try coder.number(&key)
  }
}

/// The payload of data PDUs in octets, and the time on the air in µs.
package struct HCISuggestedDataLength: HCIParameters {
  package var octets: UInt16 = 27
  package var time: UInt16 = 328

  package init() {}
  package init(octets: UInt16, time: UInt16) { (self.octets, self.time) = (octets, time) }

  /// A length within the range of the specification, with its time on the 1M PHY (Vol 6, Part B, 4.5.10).
  package init(_ length: Int) {
    let octets = min(max(length, DataLength.range.lowerBound), DataLength.range.upperBound)
    self.init(octets: UInt16(octets), time: UInt16(DataLength.airTime(of: octets)))
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&octets, in: 27...251)
    try coder.number(&time, in: 328...0x4290)
  }
}

package struct HCIMaximumDataLength: HCIParameters {
  package var sent = HCISuggestedDataLength()
  package var received = HCISuggestedDataLength()

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try sent.code(&coder)
    try received.code(&coder)
  }
}

package struct HCIPHYPreference: HCIParameters {
  /// Bit 0: no preference for what is sent; bit 1: for what is received.
  package var hasNone: UInt8 = 0
  package var sent: UInt8 = 1
  package var received: UInt8 = 1

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&hasNone, in: 0...3)
    try coder.number(&sent, in: 0...7)
    try coder.number(&received, in: 0...7)
  }
}

package struct HCISetPHY: HCIParameters {
  package var handle: UInt16 = 0
  package var preference = HCIPHYPreference()
  /// The preferred coding of the coded PHY; 0 for none.
  package var options: UInt16 = 0

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&handle)
    try preference.code(&coder)
    try coder.number(&options)
  }
}

/// The PHYs in which a link sends and receives: 1 is 1M.
package struct HCIPHYs: HCIParameters {
  package var sent: UInt8 = 1
  package var received: UInt8 = 1

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&sent)
    try coder.number(&received)
  }
}
