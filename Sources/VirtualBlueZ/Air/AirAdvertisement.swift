/// An advertisement that an adapter has taken.
struct AirAdvertisement: Sendable {
  /// onAir -> suspended, lost; suspended -> onAir, lost. A lost one stays lost: bluetoothd believes that it is there
  /// and does not start it again (measured).
  enum State: Hashable, Sendable {
    case onAir
    /// Until the connection that ended it ends.
    case suspended(ConnectionID)
    case lost
  }

  let adapter: AdapterID
  let encoded: EncodedAdvertisement
  var state: State
  /// Tells the events of one time on the air from those of another.
  var turn: Int
}
