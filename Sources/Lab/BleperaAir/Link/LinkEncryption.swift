import BleperaBluetooth
import BleperaHost

/// The encryption of a connection, as the two link layers know it.
struct LinkEncryption: Sendable {
  /// Whether the connection is encrypted, or was until the procedure that runs.
  var isOn = false
  /// The key with which the central has begun the running procedure; nil while none runs.
  var requested: LinkKey?
  /// The key of the peripheral's host.
  var answered: UInt128?
  /// The key with which the central begins once no other procedure runs.
  var next: LinkKey?
  /// Whether each side keeps back its data and other procedures, as both sides do during encryption.
  var isHolding: (up: Bool, down: Bool) = (false, false)
  var held: [LinkPacket] = []
  /// The number of the running procedure.
  var turn = 0

  func holds(_ packet: LinkPacket) -> Bool {
    switch packet.content {
    case .control(.encryption), .control(.terminate): false
    default: packet.isUpward ? isHolding.up : isHolding.down
    }
  }
}

/// The LL control PDUs of encryption (Core Specification, Vol 6, Part B, 2.4.2.4 to 2.4.2.12).
enum EncryptionControl: Hashable, Sendable {
  /// Names the key; `session` and `vector` are the sender's halves of the session key and the initialization vector.
  case request(random: UInt64, diversifier: UInt16, session: UInt64, vector: UInt32)
  case response(session: UInt64, vector: UInt32)
  case startRequest
  case startResponse
  case pauseRequest
  case pauseResponse
  /// LL_REJECT_EXT_IND of a request.
  case reject(LinkEnd)

  var bytes: [UInt8] {
    switch self {
    case .request(let random, let diversifier, let session, let vector):
      [0x03] + LittleEndian.bytes(random) + LittleEndian.bytes(diversifier) + LittleEndian.bytes(session)
        + LittleEndian.bytes(vector)
    case .response(let session, let vector): [0x04] + LittleEndian.bytes(session) + LittleEndian.bytes(vector)
    case .startRequest: [0x05]
    case .startResponse: [0x06]
    case .pauseRequest: [0x0A]
    case .pauseResponse: [0x0B]
    case .reject(let reason): [0x11, 0x03, reason.rawValue]
    }
  }
}
