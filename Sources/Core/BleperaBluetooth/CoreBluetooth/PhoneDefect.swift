/// A defect that is reported of iPhones. A phone has none unless the user asks for it; `blepera defects` prints the
/// reports.
public enum PhoneDefect: String, Hashable, Codable, CaseIterable, Sendable {
  /// `canSendWriteWithoutResponse` turns true again, and `peripheralIsReady(toSendWriteWithoutResponse:)` is not
  /// called.
  case silentReady = "silent-ready"
  /// `canSendWriteWithoutResponse` stays false until a write is made against it.
  case writeStall = "write-stall"
  /// The phone's scans do not read the overflow area.
  case backgroundLost = "background-lost"
  /// The phone does not listen for the peripherals that apps in the background wait for, for a time.
  case reconnectGap = "reconnect-gap"
  /// An encryption that the phone begins gets no answer.
  case encryptionTimeout = "encryption-timeout"
  /// After `blepera preserved forget` an app with the same restoration identifier cannot add services.
  case restoreIdentifierStuck = "restore-identifier-stuck"
  /// The phone as a central changes the parameters of its connections every 120 ms.
  case parameterStorm = "parameter-storm"
  /// The phone changes its private address while it is being paired.
  case addressInPairing = "address-in-pairing"

  /// The defects of the link layer, which a phone on bluetoothd cannot have.
  package static let ofLinkLayer = ofVirtualLinkLayer.union([.addressInPairing])
  /// The defects of the link layer that a phone on a controller cannot have either.
  package static let ofVirtualLinkLayer: Set<Self> = [.encryptionTimeout, .parameterStorm]
}
