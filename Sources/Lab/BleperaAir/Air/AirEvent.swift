package import BleperaHost

/// An input of the air.
package enum AirEvent: Hashable, Sendable {
  /// Only time has passed.
  case tick
  /// Indirect, because an event is copied, and this one is twice as long as any other.
  indirect case added(AdapterID, AdapterDescription)
  case removed(AdapterID)
  case linkLayer(AdapterID, LinkLayerRequest)
  /// Has no effect on an adapter without a host of the air.
  case host(AdapterID, HostRequest)

  case conditions(AirConditions)
  /// Replaces the conditions between two adapters.
  case between(AdapterID, AdapterID, PairConditions)
  /// From now on no packet arrives over the connection of the two.
  case cut(AdapterID, AdapterID)
  /// Cuts this or a later connection of the two at a future PDU; nil cancels the cut.
  case cutAt(AdapterID, AdapterID, LinkCut?)
}

/// An output of the air, for the owner of an adapter.
package enum AirAction: Hashable, Sendable {
  case linkLayer(AdapterID, LinkLayerEvent)
  case host(AdapterID, HostAction)
}
