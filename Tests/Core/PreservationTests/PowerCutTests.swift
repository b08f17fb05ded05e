import BleperaBluetooth
import BleperaPreservation
import Testing

/// Power goes at each call of the disk while states are saved one after the other.
@Suite("A loss of power")
struct PowerCutTests {
  /// The first has nothing, each other one more subscriber.
  private static let states: [PreservedState] = (0...4).map { count in
    Samples.full.changed { app in
      app.subscribers = (0..<count).map { number in
        PreservedSubscriber(
          central: CentralID(rawValue: "00:00:00:00:00:0\(number)"), isBonded: false,
          characteristic: CharacteristicID(service: Samples.service, index: 0))
      }
    }
  }

  private static func folder() throws -> StateFolder {
    try StateFolder(name: "default", environment: { ["HOME": "/home"][$0] })
  }

  /// Saves the states in turn; how many were acknowledged.
  private static func save(from first: Int, on disk: PowerCutDisk) throws -> Int {
    let store = FilePreservationStore(folder: try folder(), disk: disk)
    for (index, state) in states.enumerated().dropFirst(first) {
      do throws(PreservationFailure) { try store.save(state) } catch { return index }
    }
    return states.count
  }

  /// The state that is found after a power cut; nil if there is none.
  private static func found(on disk: PowerCutDisk) throws -> PreservedState? {
    let loaded = try FilePreservationStore(folder: try folder(), disk: disk).load()
    #expect(loaded.quarantined == nil)
    return loaded.state.apps.isEmpty ? nil : loaded.state
  }

  @Test("Whatever was acknowledged is there, and what is there is a whole state", arguments: PowerCutDisk.Loss.allCases)
  func everyCutPoint(loss: PowerCutDisk.Loss) throws {
    let whole = PowerCutDisk()
    #expect(try Self.save(from: 0, on: whole) == Self.states.count)
    #expect(whole.calls > 50)
    for cut in 0...whole.calls {
      let disk = PowerCutDisk(cut: cut)
      let saved = try Self.save(from: 0, on: disk)
      let after = disk.rebooted(loss)
      let found = try Self.found(on: after).flatMap { Self.states.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      // The next state may have reached the disk without its acknowledgement.
      #expect(found == saved || found == saved + 1, "cut at call \(cut)")
      // The phone continues from there, and loses power again, over three cuts at each call of the first save.
      for second in stride(from: cut % 3, through: 12, by: 3) {
        let disk = disk.rebooted(loss, cut: second)
        let again = try Self.save(from: min(found, Self.states.count - 1), on: disk)
        let last = try Self.found(on: disk.rebooted(.everything)).flatMap { Self.states.firstIndex(of: $0) }
        #expect((last.map { $0 + 1 } ?? 0) >= min(found, again), "cut at calls \(cut) and \(second)")
      }
    }
  }
}
