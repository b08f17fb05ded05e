/// One thing that a program can rely on, told as what org.bluez does: it speaks D-Bus alone, so it is played on the
/// real bluetoothd and on the virtual one.
package struct ContractCase: Sendable, CustomStringConvertible {
  package enum Area: String, CaseIterable, Sendable {
    case registration, refusals, objects, advertising, discovery, connecting, reads, writes, notifying, acquiring
    case pairing, power, restarts
  }

  package let area: Area
  package let name: String
  /// The releases of bluetoothd, by their minor number, that behave so. A case is played on every real one in this range,
  /// and on the virtual one as its first.
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

  /// From the release of Debian 12 to the newest of Debian.
  package static let measured = 66...87
  /// What 5.66 does and 5.82 does not; the release between them that changed it was not looked for.
  package static let before82 = 66...81

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
    registration + layout + refusals + objects + advertising + advertised + discovery + connecting + reads + answers
    + writes + longWrites + notifying + acquiring + pairing + agents + power + restarts + later
}
