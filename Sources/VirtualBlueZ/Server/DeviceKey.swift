/// A device as one adapter knows it.
struct DeviceKey: Hashable, Comparable, Sendable {
  let adapter: AdapterID
  let address: DeviceAddress

  static func < (left: Self, right: Self) -> Bool {
    (left.adapter, left.address) < (right.adapter, right.address)
  }
}
