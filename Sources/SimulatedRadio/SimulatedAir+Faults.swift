package import VirtualBlueZ

/// What goes wrong between the adapters of the air.
extension SimulatedAir {
  package var conditions: AirConditions { air.conditions }

  /// Where two adapters differ from the rest.
  package func conditions(between first: AdapterID, and second: AdapterID) -> PairConditions {
    air.conditions(between: first, and: second)
  }

  package func set(_ conditions: PairConditions, between first: AdapterID, and second: AdapterID) {
    run(.between(first, second, conditions))
  }

  package func isConnected(_ first: AdapterID, to second: AdapterID) -> Bool {
    air.connection(between: first, and: second) != nil
  }

  /// Nothing gets through over their connection from now on; both notice that at the supervision timeout. Without
  /// effect where they are not connected.
  package func cut(between first: AdapterID, and second: AdapterID) { run(.cut(first, second)) }

  /// The same, from a PDU on that is still to come; nil for not at all.
  package func cut(between first: AdapterID, and second: AdapterID, at place: LinkCut?) {
    run(.cutAt(first, second, place))
  }
}
