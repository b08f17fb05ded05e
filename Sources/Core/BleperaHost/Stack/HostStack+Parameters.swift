import BleperaBluetooth

/// The central's responses to its peripheral's requests for connection parameters.
extension HostStack {
  /// The parameters that are used from now on; nil if the request is refused.
  ///
  /// A phone accepts what Apple's rules allow, and takes a multiple of 30 ms where there is one (measured: 30 ms for 15
  /// to 30 and for 30 to 45, 90 for 75 to 90). Linux accepts all that the specification does.
  private func accepted(_ request: LinkParameterRequest) -> LinkParameters? {
    guard behavior.client == .phone else { return request.parameters }
    let (least, most) = (Int(request.intervals.lowerBound), Int(request.intervals.upperBound))
    let broken = AccessoryLinkRules.broken(
      minimum: least, maximum: most, latency: Int(request.latency), timeout: Int(request.timeout))
    guard broken == nil else { return nil }
    let multiple = (least + Self.grid - 1) / Self.grid * Self.grid
    guard multiple <= most else { return request.parameters }
    return LinkParameters(interval: UInt16(multiple), latency: request.latency, timeout: request.timeout)
  }

  /// 30 ms, in units of 1.25 ms.
  private static let grid = 24

  /// The peripheral's link layer asks.
  mutating func requested(_ request: LinkParameterRequest, over id: ConnectionID) {
    let answer = accepted(request).map { LinkRequest.update($0) }
    outputs.append(.link(id, answer ?? .refuseParameters(reason: Self.unacceptable)))
  }

  /// Unacceptable Connection Parameters (Core Specification, Vol 1, Part F, 1.3).
  private static let unacceptable: UInt8 = 0x3B

  /// The peripheral's host asks by L2CAP (Core Specification, Vol 3, Part A, 4.20).
  mutating func requested(_ update: L2CAPSignal.ParameterUpdate, _ identifier: UInt8, over id: ConnectionID) {
    let request = LinkParameterRequest(
      from: update.minimumInterval, to: update.maximumInterval, latency: update.latency, timeout: update.timeout)
    let parameters = request.flatMap { accepted($0) }
    answer(identifier, .parameterUpdateResponse(parameters == nil ? 1 : 0), over: id)
    if let parameters { outputs.append(.link(id, .update(parameters))) }
  }
}
