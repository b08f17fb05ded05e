/// One behavior of org.bluez that programs can rely on. A case uses D-Bus alone, so it is played on the
/// real bluetoothd and on the virtual one.
package struct ContractCase: Sendable, CustomStringConvertible {
  package enum Area: String, CaseIterable, Sendable {
    case registration, refusals, objects, advertising, discovery, monitors, connecting, reads, writes, notifying
    case acquiring, pairing, power, restarts
    /// bluetoothd with a main.conf that allows channels beside the first one for ATT.
    case eatt
  }

  package let area: Area
  package let name: String
  /// The releases of bluetoothd, by their minor number, that behave so. A case is played as every release of Debian
  /// in this range.
  package let releases: ClosedRange<Int>
  package let body: @Sendable (Stage) async throws -> Void

  package init(
    _ area: Area, _ name: String, releases: ClosedRange<Int> = measured,
    _ body: @escaping @Sendable (Stage) async throws -> Void
  ) {
    self.area = area
    self.name = name
    self.releases = releases
    self.body = body
  }

  /// The releases from Debian 11's to the newest of Debian.
  package static let measured = 55...87
  /// The releases of cases in which the virtual BlueZ does not imitate 5.55.
  static let since66 = 66...87
  /// The releases that Debian has and that were measured; 5.55 with the kernel of Debian 12.
  package static let debian = [55, 66, 82, 87]

  package var description: String { "\(area.rawValue): \(name)" }

  /// Plays it; what was not as it should be, or nothing.
  package func play(on stage: Stage) async -> [ContractFailure] {
    do {
      try await body(stage)
    } catch let failure as ContractFailure {
      stage.note(failure)
    } catch {
      stage.note(ContractFailure("\(error)"))
    }
    return stage.failures
  }

  /// All of them, by area.
  package static let all: [ContractCase] =
    registration + layout + handles + refusals + objects + advertising + advertised + discovery + monitors
    + connecting + reads + answers + writes + longWrites + notifying + reconnecting + acquiring + pairing + agents
    + power + restarts + later
}
