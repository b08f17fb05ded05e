import BleperaAir
public import BleperaBluetooth

/// The faults and conditions of the link between two devices, connected or not. One device may be the central of the
/// other. The conditions override the air's: `air.link(central, phone).loss = 1` puts the devices out of range.
public struct Link: Sendable {
  let air: Air
  let central: (name: String, address: String)
  let device: any AirDevice

  /// The point at which a link drops.
  public enum DropPoint: Hashable, Sendable {
    /// At the PDU of that number from now on, counted from 1 in both directions: requests, responses, commands, values
    /// and confirmations, but not service discovery.
    case pdu(Int)
    /// At the first PDU of that kind from now on.
    case first(ATTOpcode)
  }

  /// `Air.loss` between the two; nil for the air's value.
  public var loss: Double? {
    get { conditions.loss }
    nonmutating set { change("loss \(text(newValue))") { $0.loss = newValue } }
  }

  /// `Air.latency` between the two; nil for the air's value.
  public var latency: Duration? {
    get { conditions.latency }
    nonmutating set { change("latency \(text(newValue))") { $0.latency = newValue } }
  }

  /// The signal strength that the two measure of each other, in dBm; nil for the air's value.
  public var rssi: Int? {
    get { conditions.rssi }
    nonmutating set { change("dBm \(text(newValue))") { $0.rssi = newValue } }
  }

  /// Overrides the given conditions for a duration, then restores the previous values.
  public func set(loss: Double? = nil, latency: Duration? = nil, rssi: Int? = nil, for duration: Duration) {
    let before = conditions
    change(Air.text(loss, latency, rssi)) { conditions in
      if loss != nil { conditions.loss = loss }
      if latency != nil { conditions.latency = latency }
      if rssi != nil { conditions.rssi = rssi }
    }
    air.schedule(after: duration) { _ in
      change("as before") { conditions in
        if loss != nil { conditions.loss = before.loss }
        if latency != nil { conditions.latency = before.latency }
        if rssi != nil { conditions.rssi = before.rssi }
      }
    }
  }

  /// The central stops receiving over the connection, which stays up: values and responses wait, the phone's transmit
  /// queue fills, and after 30 s the central's request times out.
  public func stall() { change("stalls") { $0.isStalled = true } }

  /// The central receives all waiting packets, in order.
  public func resume() { change("resumes") { $0.isStalled = false } }

  /// Ends the connection: no packet arrives from now on, and both sides notice at the supervision timeout: 420 ms,
  /// or 720 ms with an app on an iPhone. The two can then connect again.
  ///
  /// - Throws: `StoryFailure.notConnected`.
  public func drop() throws(StoryFailure) {
    guard backend?.cut(between: central.address, and: device.identityAddress) ?? true else { throw .notConnected }
    note("drops")
  }

  /// Ends this or the next connection at a future PDU: that PDU and everything after it do not arrive. Prepared writes
  /// that were not executed are discarded without a request to the app.
  ///
  /// - Parameter point: Nil to cancel.
  public func drop(at point: DropPoint?) {
    note(point.map { "is to drop at \($0)" } ?? "is not to drop")
    let cut: LinkCut? =
      switch point {
      case .pdu(let number): .pdu(number)
      case .first(let opcode): .first(opcode)
      case nil: nil
      }
    backend?.cut(between: central.address, and: device.identityAddress, at: cut)
  }

  private var backend: VirtualBackend? { air.virtualBackend(for: "a link") }

  private var conditions: PairConditions {
    backend?.conditions(between: central.address, and: device.identityAddress) ?? PairConditions()
  }

  private func change(_ text: String, _ change: (inout PairConditions) -> Void) {
    note(text)
    var conditions = conditions
    change(&conditions)
    backend?.set(conditions, between: central.address, and: device.identityAddress)
  }

  private func note(_ what: String) { air.note("\(central.name)-\(device.name)", what) }

  private func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "as everywhere" }
}
