/// What is registered with bluetoothd: an application of services, or an advertisement, by our own numbers.
package enum Registration: Hashable, Sendable {
  case application(Int)
  case advertisement(Int)

  /// An advertisement needs a powered radio; services do not.
  var needsPower: Bool {
    switch self {
    case .application: false
    case .advertisement: true
    }
  }
}
