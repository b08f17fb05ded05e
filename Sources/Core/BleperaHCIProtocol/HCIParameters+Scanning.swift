import BleperaBluetooth

/// The parameters of LE Set Scan Parameters (7.8.10).
package struct HCIScanParameters: HCIParameters {
  package var isActive = false
  /// In units of 0.625 ms.
  package var interval: UInt16 = 0x10
  package var window: UInt16 = 0x10
  package var ownType: UInt8 = 0
  package var policy: UInt8 = 0

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.flag(&isActive)
    try coder.number(&interval)
    try coder.number(&window)
    try coder.number(&ownType, in: 0...3)
    try coder.number(&policy, in: 0...3)
  }
}

package struct HCIScanEnable: HCIParameters {
  package var isOn = false
  package var filtersDuplicates = false

  package init() {}
  package init(_ isOn: Bool, filtersDuplicates: Bool = false) {
    (self.isOn, self.filtersDuplicates) = (isOn, filtersDuplicates)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.flag(&isOn)
    try coder.flag(&filtersDuplicates)
  }
}

/// The parameters of LE Set Extended Scan Parameters for the 1M PHY (7.8.64); more PHYs are not read.
package struct HCIExtendedScanParameters: HCIParameters {
  package var ownType: UInt8 = 0
  package var policy: UInt8 = 0
  package var phys: UInt8 = 1
  package var isActive = false
  /// In units of 0.625 ms.
  package var interval: UInt16 = 0x10
  package var window: UInt16 = 0x10

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&ownType, in: 0...3)
    try coder.number(&policy, in: 0...3)
    try coder.number(&phys)
    guard phys == 1 else { throw phys == 0 ? .invalidParameters : .unsupportedFeature }
    try coder.flag(&isActive)
    try coder.number(&interval)
    try coder.number(&window)
  }
}

package struct HCIExtendedScanEnable: HCIParameters {
  package var isOn = false
  /// 0 off, 1 on, 2 again in each period.
  package var duplicates: UInt8 = 0
  /// In units of 10 ms; 0 for no limit.
  package var duration: UInt16 = 0
  /// In units of 1.28 s; 0 for none.
  package var period: UInt16 = 0

  package init() {}
  package init(_ isOn: Bool) { self.isOn = isOn }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.flag(&isOn)
    try coder.number(&duplicates, in: 0...2)
    try coder.number(&duration)
    try coder.number(&period)
  }
}
