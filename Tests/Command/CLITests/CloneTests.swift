import BleperaBlueZ
import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import BleperaProfile
import BleperaProfileApp
import BusTesting
import Glibc
import Synchronization
import Testing

@testable import BleperaCLI
@testable import BleperaSessions

@Suite(.serialized) struct CloneTests {
  private static func clone(
    _ address: String, on air: PhonesOnAir, listening: Duration = .zero
  ) async throws -> ClonedDevice {
    try await CloneSession(
      address: address, adapter: "hci0", limit: .seconds(20), listening: listening, endProcess: ProcessEnd.perform
    ) { _ in }
    .run(on: air.address)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a device that is not there is not found, and Ctrl-C is no failure`() async throws {
    try await PhonesOnAir.run(adapters: 1) { air in
      let session = CloneSession(
        address: "00:AA:01:00:00:07", adapter: nil, limit: .zero, endProcess: ProcessEnd.perform
      ) { _ in }
      await #expect {
        _ = try await session.run(on: air.address)
      } throws: { error in
        guard case .reason(let reason)? = error as? CloneSession.Failure else { return false }
        return reason.hasPrefix("00:AA:01:00:00:07 was not discovered within 0 s; ")
      }
      let program = try WatchedProgram(["clone", "00:aa:01:00:00:07"], on: air.address, watching: .error)
      #expect(try await program.nextLine() == "Scanning for 00:AA:01:00:00:07 ...")
      #expect(try await program.end(by: SIGINT) == .exited(130))
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: 1...3)
  func `after a failed discovery of services the session connects again, twice at most`(failures: Int) async throws {
    let notes = Mutex<[String]>([])
    let original = try #require(ProfileFiles([ShippedProfiles.paths[0]], coloredFor: .plain).profiles?.first)
    try await PhonesOnAir.run(adapters: 2, failingDiscoveries: failures) { air in
      try await air.serve(original, on: "hci1")
      let session = CloneSession(
        address: "00:AA:01:00:00:01", adapter: "hci0", limit: .seconds(20), listening: .zero,
        endProcess: ProcessEnd.perform
      ) {
        note in notes.withLock { $0.append(note) }
      }
      if failures < 3 {
        let device = try await session.run(on: air.address)
        #expect(device.ownServices.count == original.profile.services.count)
      } else {
        await #expect {
          _ = try await session.run(on: air.address)
        } throws: { error in
          guard case .reason(let reason)? = error as? CloneSession.Failure else { return false }
          return reason.hasPrefix("bluetoothd has discovered no services of 00:AA:01:00:00:01")
        }
      }
    }
    #expect(notes.withLock { $0.count { $0.hasSuffix("connecting again ...") } } == min(failures, 2))
  }

  @Test(.timeLimit(.minutes(5)))
  func `once the link is encrypted nobody knows what needs that`() async throws {
    let needs = [false, true, true].enumerated().map { index, isNeeded in
      ClonedDevice.Characteristic(
        uuid: BluetoothUUID(UInt16(0x2AA0 + index)), properties: .read, value: .value([1]), readsEncrypted: isNeeded,
        descriptors: [])
    }
    let service = ClonedDevice.Service(
      uuid: BluetoothUUID(0x1815 as UInt16), isPrimary: true, includedServices: [], characteristics: needs)
    let device = ClonedDevice(address: "00:AA:01:00:00:01", advertised: .init(), services: [service])
    let text = ClonedProfile(device: device).text
    let profile = try #require(Profile.check(Array(text.utf8), file: "needs.plist").profile)
    try await PhonesOnAir.run(adapters: 2) { air in
      try await air.serve(NamedProfile(profile: profile, name: "needs"), on: "hci1")
      for (expected, wasCached) in [([false, true, nil], false), ([nil, nil, nil], true)] {
        let found = try await Self.clone("00:AA:01:00:00:01", on: air)
        #expect(found.ownServices.flatMap(\.characteristics).map(\.readsEncrypted) == expected)
        #expect(found.wasCached == wasCached)
      }
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: ShippedProfiles.peripherals)
  func `a clone of a shipped profile serves what the profile serves`(path: String) async throws {
    let original = try #require(ProfileFiles([path], coloredFor: .plain).profiles?.first)
    try await PhonesOnAir.run(adapters: 3) { air in
      try await air.serve(original, on: "hci1")
      // Only those of several services are in two advertisements; a scan response may be missed.
      let listening: Duration = original.profile.services.count > 1 ? .seconds(1) : .milliseconds(300)
      let first = try await Self.clone("00:AA:01:00:00:01", on: air, listening: listening)
      let text = ClonedProfile(device: first).text
      let check = Profile.check(Array(text.utf8), file: "clone.plist")
      // A central sees neither whether a subscription needs an encrypted link, nor where notified values come from.
      let weaker = check.diagnostics.filter {
        "\($0)".contains("with the permission readEncryptionRequired") || "\($0)".contains("without a source of values")
      }
      #expect(check.diagnostics == weaker)
      let profile = try #require(check.profile)
      #expect(Set(profile.advertisement?.serviceUUIDs ?? []) == Set(original.profile.advertisement?.serviceUUIDs ?? []))
      #expect(profile.advertisement?.localName == original.profile.advertisement?.localName)
      try await air.serve(NamedProfile(profile: profile, name: "clone"), on: "hci2")
      let second = try await Self.clone("00:AA:01:00:00:02", on: air)
      #expect(second.services == first.services)
      #expect(second.ownServices.count == original.profile.services.count)
    }
  }
}
