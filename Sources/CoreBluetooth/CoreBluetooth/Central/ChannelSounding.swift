/// The configuration of a channel sounding session.
open class CBChannelSoundingSessionConfiguration: NSObject {
  /// The roles in a session.
  public enum Role: Int, Hashable, Sendable {
    /// The phone begins each procedure.
    case initiator = 0
  }

  /// The role that the app requests.
  open var role: CBChannelSoundingSessionConfiguration.Role { given }

  private let given: Role

  /// - Parameter role: The role in the session.
  public init(role: CBChannelSoundingSessionConfiguration.Role) { given = role }
}

/// The results of a procedure of a channel sounding session. The phone's radio does not measure, so an app gets none.
open class CBChannelSoundingProcedureResults: NSObject {
  /// The distance to the peripheral, in meters.
  open private(set) var distance: Double

  init(distance: Double) { self.distance = distance }
}
