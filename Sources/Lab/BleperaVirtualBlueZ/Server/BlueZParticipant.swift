import BleperaAir

/// Receives actions for a server, without retaining the server.
final class BlueZParticipant: AirParticipant {
  private weak let server: BlueZServer?

  init(server: BlueZServer) { self.server = server }

  func receive(_ action: AirAction) { server?.assumeIsolated { $0.perform(action) } }

  func turnEnded() { server?.assumeIsolated { $0.flush() } }
}
