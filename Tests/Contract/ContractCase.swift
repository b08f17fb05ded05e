/// One thing that a program can rely on, told as what org.bluez does: it speaks D-Bus alone, so it is played on the
/// real bluetoothd and on the virtual one.
package struct ContractCase: Sendable, CustomStringConvertible {
  package enum Area: String, CaseIterable, Sendable {
    case registration, refusals, objects, advertising, discovery, connecting, reads, writes, notifying, acquiring
    case pairing, power, restarts
  }

  package let area: Area
  package let name: String
  /// The releases of bluetoothd, by their minor number, that behave so; the real one is 5.66.
  package let releases: ClosedRange<Int>
  package let body: @Sendable (Stage) async throws -> Void

  package init(
    _ area: Area, _ name: String, releases: ClosedRange<Int> = 66...66,
    _ body: @escaping @Sendable (Stage) async throws -> Void
  ) {
    self.area = area
    self.name = name
    self.releases = releases
    self.body = body
  }

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
