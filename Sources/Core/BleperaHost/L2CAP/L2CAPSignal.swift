package import BleperaBluetooth

/// A command of the LE signaling channel (Core Specification, Vol 3, Part A, 4).
package struct L2CAPSignal: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// The reason, and what belongs to it (4.1).
    case commandReject(reason: UInt16, data: [UInt8])
    case disconnectionRequest(destination: UInt16, source: UInt16)
    case disconnectionResponse(destination: UInt16, source: UInt16)
    case parameterUpdateRequest(ParameterUpdate)
    /// 0 for yes, 1 for no.
    case parameterUpdateResponse(UInt16)
    case creditConnectionRequest(L2CAPPSM, CreditOffer)
    /// The results of 4.23; 0 for success.
    case creditConnectionResponse(CreditOffer, result: UInt16)
    case credits(channel: UInt16, count: UInt16)
    /// Any other code, or one whose data has a wrong length.
    case other(code: UInt8, data: [UInt8])
  }

  /// Units of 1.25 ms, connection events and units of 10 ms (4.20).
  package struct ParameterUpdate: Hashable, Sendable {
    package var minimumInterval: UInt16
    package var maximumInterval: UInt16
    package var latency: UInt16
    package var timeout: UInt16
  }

  /// The parameters of one side of a credit-based channel (4.22 and 4.23).
  package struct CreditOffer: Hashable, Sendable {
    package var channel: UInt16
    package var mtu: UInt16
    package var mps: UInt16
    package var credits: UInt16

    package init(channel: UInt16, mtu: UInt16, mps: UInt16, credits: UInt16) {
      (self.channel, self.mtu, self.mps, self.credits) = (channel, mtu, mps, credits)
    }

    /// The offer in a response that refuses a channel.
    package static let none = CreditOffer(channel: 0, mtu: 0, mps: 0, credits: 0)
  }

  package let identifier: UInt8
  package let content: Content

  package init(identifier: UInt8, _ content: Content) { (self.identifier, self.content) = (identifier, content) }
}

extension L2CAPFrame {
  package init(_ signal: L2CAPSignal) { self.init(channel: Self.signaling, payload: signal.bytes) }
}

extension L2CAPSignal {
  /// Reads the payload of a frame; nil where it is not one command.
  package init?(_ bytes: [UInt8]) {
    var fields = PDUReader(bytes[...])
    let (code, identifier, length) = (fields.uint8(), fields.uint8(), Int(fields.uint16()))
    guard !fields.isShort, fields.rest.count == length, identifier > 0 else { return nil }
    let data = Array(fields.rest)
    let content = Self.content(code, &fields)
    self.init(identifier: identifier, content.flatMap { fields.isExact ? $0 : nil } ?? .other(code: code, data: data))
  }

  private static func content(_ code: UInt8, _ fields: inout PDUReader) -> Content? {
    switch code {
    case 0x01: .commandReject(reason: fields.uint16(), data: fields.remainder())
    case 0x06: .disconnectionRequest(destination: fields.uint16(), source: fields.uint16())
    case 0x07: .disconnectionResponse(destination: fields.uint16(), source: fields.uint16())
    case 0x12:
      .parameterUpdateRequest(
        ParameterUpdate(
          minimumInterval: fields.uint16(), maximumInterval: fields.uint16(), latency: fields.uint16(),
          timeout: fields.uint16()))
    case 0x13: .parameterUpdateResponse(fields.uint16())
    case 0x14: .creditConnectionRequest(L2CAPPSM(rawValue: fields.uint16()), offer(&fields))
    case 0x15: .creditConnectionResponse(offer(&fields), result: fields.uint16())
    case 0x16: .credits(channel: fields.uint16(), count: fields.uint16())
    default: nil
    }
  }

  private static func offer(_ fields: inout PDUReader) -> CreditOffer {
    CreditOffer(channel: fields.uint16(), mtu: fields.uint16(), mps: fields.uint16(), credits: fields.uint16())
  }

  package var bytes: [UInt8] {
    let (code, data) = codeAndData
    return [code, identifier] + LittleEndian.bytes(UInt16(clamping: data.count)) + data
  }

  private var codeAndData: (UInt8, [UInt8]) {
    switch content {
    case .commandReject(let reason, let data): (0x01, Self.words(reason) + data)
    case .disconnectionRequest(let destination, let source): (0x06, Self.words(destination, source))
    case .disconnectionResponse(let destination, let source): (0x07, Self.words(destination, source))
    case .parameterUpdateRequest(let update):
      (0x12, Self.words(update.minimumInterval, update.maximumInterval, update.latency, update.timeout))
    case .parameterUpdateResponse(let result): (0x13, Self.words(result))
    case .creditConnectionRequest(let psm, let offer): (0x14, Self.words(psm.rawValue) + Self.bytes(offer))
    case .creditConnectionResponse(let offer, let result): (0x15, Self.bytes(offer) + Self.words(result))
    case .credits(let channel, let count): (0x16, Self.words(channel, count))
    case .other(let code, let data): (code, data)
    }
  }

  private static func bytes(_ offer: CreditOffer) -> [UInt8] {
    words(offer.channel, offer.mtu, offer.mps, offer.credits)
  }

  private static func words(_ words: UInt16...) -> [UInt8] { words.flatMap { LittleEndian.bytes($0) } }
}
