import BleperaAir
import BleperaAppLink
import BleperaCLI
import BleperaHCI
import BleperaLoop
import BleperaSessions
import BleperaSimulation
import Synchronization

/// The HCI controllers of a scenario that runs in real time, to which hosts outside attach.
struct ScenarioHosts {
  private let backend: VirtualBackend
  private let doors: [HCIDoor]
  /// The number of hosts that have attached.
  private let attached = HostCount()

  /// - Parameters:
  ///   - captures: the capture of each endpoint, or an empty list.
  ///   - record: receives the events of hosts.
  init(
    _ endpoints: [HCIEndpoint], on air: Air, seed: UInt64, _ captures: [HCICapture],
    _ record: (@Sendable (EventRecord) -> Void)?
  ) throws(HCIDoorFailure) {
    guard let backend = air.virtualBackend else { preconditionFailure("hosts attach to a virtual air alone") }
    self.backend = backend
    doors = try backend.perform { [attached] in
      Result { () throws(HCIDoorFailure) in
        var doors: [HCIDoor] = []
        for (number, endpoint) in endpoints.enumerated() {
          let door = try HCIDoor(
            loop: backend.virtualLoop, air: backend.air, endpoint: endpoint, number: number, seed: seed,
            capture: captures.isEmpty ? nil : captures[number]
          ) { notice in
            if case .attached = notice { attached.add() }
            var event = EventRecord(notice)
            event.time = Timestamp(sinceEpoch: backend.virtualLoop.timeOfDay).date
            record?(event)
          }
          door.assumeIsolated { $0.start() }
          doors.append(door)
        }
        return doors
      }
    }.get()
  }

  /// Lets time pass until every controller has had a host.
  func wait(on air: Air) async {
    guard !doors.isEmpty else { return }
    Terminal(.error).print("Hosts attach to \(doors.map(\.name).joined(separator: " ")); waiting for them.")
    while attached.count < doors.count { await air.advance(by: .milliseconds(20)) }
  }

  func close() {
    backend.perform { [doors] in
      for door in doors { door.assumeIsolated { $0.close() } }
    }
  }
}

private final class HostCount: Sendable {
  private let hosts = Atomic(0)

  var count: Int { hosts.load(ordering: .relaxed) }

  func add() { hosts.wrappingAdd(1, ordering: .relaxed) }
}
