import EventLoop
public import GATT
import SimulatedRadio
import VirtualBlueZ

/// What is between a central and a phone, connected or not: where it differs from the rest of the air, and what goes
/// wrong there. `air.link(central, phone).loss = 1` puts the two out of each other's reach.
public struct Link: Sendable {
  let air: Air
  let central: Central
  let phone: Phone

  /// Where a link drops.
  public enum DropPoint: Hashable, Sendable {
    /// At the PDU of that number from now on, from 1, both directions counted: requests, responses, commands, values
    /// and confirmations, not the discovery of services.
    case pdu(Int)
    /// At the first PDU of that kind from now on.
    case first(ATTOpcode)
  }

  /// As `Air.loss`, between these two; nil for the air's.
  public var loss: Double? {
    get { conditions.loss }
    nonmutating set { change("loss \(said(newValue))") { $0.loss = newValue } }
  }

  /// As `Air.latency`, between these two; nil for the air's.
  public var latency: Duration? {
    get { conditions.latency }
    nonmutating set { change("latency \(said(newValue))") { $0.latency = newValue } }
  }

  /// What the two measure of each other, in dBm; nil for the air's.
  public var rssi: Int? {
    get { conditions.rssi }
    nonmutating set { change("dBm \(said(newValue))") { $0.rssi = newValue } }
  }

  /// Changes what is not nil for a while; then it is what it was before.
  public func set(loss: Double? = nil, latency: Duration? = nil, rssi: Int? = nil, for time: Duration) {
    let before = conditions
    change(Air.said(loss, latency, rssi)) { conditions in
      if loss != nil { conditions.loss = loss }
      if latency != nil { conditions.latency = latency }
      if rssi != nil { conditions.rssi = rssi }
    }
    air.later(after: time) { _ in
      change("as before") { conditions in
        if loss != nil { conditions.loss = before.loss }
        if latency != nil { conditions.latency = before.latency }
        if rssi != nil { conditions.rssi = before.rssi }
      }
    }
  }

  /// The central takes nothing any more of what the phone sends over their connection, which stays: values and
  /// responses wait, the phone's transmit queue fills, and after 30 s the central gives up what it asks.
  public func stall() { change("stalls") { $0.isStalled = true } }

  /// It takes all that has waited, in order.
  public func resume() { change("resumes") { $0.isStalled = false } }

  /// Their connection is lost: nothing gets through from now on, and both sides notice when the supervision timeout,
  /// 420 ms, is over. They can connect again then.
  ///
  /// - Throws: `StoryFailure.notConnected`.
  public func drop() throws(StoryFailure) {
    let isConnected = withAdapters(otherwise: true) { radio, first, second in
      defer { radio.cut(between: first, and: second) }
      return radio.isConnected(first, to: second)
    }
    guard isConnected else { throw .notConnected }
    note("drops")
  }

  /// Their connection, this one or the next, is lost at a PDU that is still to come: that one does not arrive, nor
  /// anything after it. What was prepared and not executed is forgotten, and the app hears nothing of it.
  ///
  /// - Parameter point: nil for nowhere any more.
  public func drop(at point: DropPoint?) {
    note(point.map { "is to drop at \($0)" } ?? "is not to drop")
    let cut: LinkCut? =
      switch point {
      case .pdu(let number): .pdu(number)
      case .first(let opcode): .first(opcode)
      case nil: nil
      }
    withAdapters(otherwise: ()) { radio, first, second in radio.cut(between: first, and: second, at: cut) }
  }

  private var conditions: PairConditions {
    withAdapters(otherwise: PairConditions()) { radio, first, second in
      radio.conditions(between: first, and: second)
    }
  }

  private func change(_ said: String, _ change: (inout PairConditions) -> Void) {
    note(said)
    var conditions = conditions
    change(&conditions)
    let changed = conditions
    withAdapters(otherwise: ()) { radio, first, second in radio.set(changed, between: first, and: second) }
  }

  /// Of the two, on the loop.
  private func withAdapters<Value: Sendable>(
    otherwise other: Value, _ body: @escaping @Sendable (isolated SimulatedAir, AdapterID, AdapterID) -> Value
  ) -> Value {
    guard let virtual = air.virtual(for: "what goes wrong between two"),
      let first = virtual.adapter(at: central.address),
      let second = virtual.adapter(at: phone.address)
    else { return other }
    return air.withSimulatedAir("what goes wrong between two", otherwise: other) { body($0, first, second) }
  }

  private func note(_ what: String) { air.note("\(central.name)-\(phone.name)", what) }

  private func said<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "as everywhere" }
}
