import BleperaBluetooth
import BleperaEventLoop
import BusTesting
import Glibc
import Testing

@testable import BleperaBlueZ

/// Packets of BlueZ's doc/mgmt-api.txt.
@Suite("The kernel's management interface")
struct ManagementTests {
  static let interval = AdvertisingInterval(minimum: 152.5, maximum: 181.25)!

  @Test(arguments: [
    (ManagementCommand.readAdvertisingFeatures, "3D00 0100 0000"),
    (.removeAdvertising(instance: 3), "3F00 0100 0100 03"),
    (.addParameters(instance: 3, nil), "5400 0100 1200 03 00000000 0000 0000 00000000 00000000 00"),
    (.addParameters(instance: 3, interval), "5400 0100 1200 03 01400000 0000 0000 F4000000 22010000 00"),
    (
      .addData(instance: 2, advertisingData: [2, 1, 0x1A], scanResponse: [2, 9, 65]),
      "5500 0100 0900 02 03 03 02011A 020941"
    ),
    (.setDefaultInterval(interval), "4C00 0100 0A00 0A00 02 F400 0B00 02 2201"),
  ])
  func `a command is encoded`(command: ManagementCommand, hex: String) {
    #expect(Hex.string(command.bytes(index: 1)) == hex.filter { $0 != " " })
  }

  @Test(
    arguments: [
      ("0100 0100 0400 5400 00 03", ManagementMessage(.reply(code: 0x54, .success([3])), index: 1)),
      ("0200 0100 0300 5500 0A", ManagementMessage(.reply(code: 0x55, .failure(.busy)), index: 1)),
      ("0100 0100 0300 5400 14", ManagementMessage(.reply(code: 0x54, .failure(.noCapability)), index: 1)),
      ("0100 0100 0300 5400 01", ManagementMessage(.reply(code: 0x54, .failure(.tooOld)), index: 1)),
      (
        "0600 0000 0400 81000000",
        ManagementMessage(.settings(AdapterSettings(isPowered: true, hasPrivacy: false)), index: 0)
      ),
      (
        "0600 0000 0400 80000000",
        ManagementMessage(.settings(AdapterSettings(isPowered: false, hasPrivacy: false)), index: 0)
      ),
      (
        "0600 0000 0400 81200000",
        ManagementMessage(.settings(AdapterSettings(isPowered: true, hasPrivacy: true)), index: 0)
      ),
      ("2300 0000 0100 01", ManagementMessage(.advertisingAdded(1), index: 0)),
      ("2400 0000 0100 05", ManagementMessage(.advertisingRemoved(5), index: 0)),
      ("0500 0000 0000", ManagementMessage(.indexRemoved, index: 0)), ("0600 0000 0100 81", nil), ("0100 0100", nil),
      ("0B00 0000 0000", nil), ("", nil),
    ] as [(String, ManagementMessage?)])
  func `a message is decoded`(hex: String, message: ManagementMessage?) throws {
    #expect(ManagementMessage(try bytes(hex)) == message)
  }

  @Test
  func `replies have values`() throws {
    let features = try #require(ManagementCommand.instances(in: try bytes("FFFF0000 1F 1F 03 02 0103")))
    #expect(features == (3, [1, 3]))
    #expect(ManagementCommand.instances(in: try bytes("FFFF0000 1F 1F 03 02 01")) == nil)
    let defaults = try bytes("0100 01 00 0A00 02 F400 0B00 02 2201")
    #expect(ManagementCommand.defaultInterval(in: defaults) == Self.interval)
    #expect(ManagementCommand.defaultInterval(in: try bytes("0A00 02 F400")) == nil)
    #expect(ManagementCommand.defaultInterval(in: try bytes("0A00 02 F4")) == nil)
    let information = try bytes("CCBBAA221100 0B 0200 FFFF0000 81000000 000000")
    let controller = try #require(ManagementCommand.controller(in: information))
    #expect(controller == ("00:11:22:AA:BB:CC", AdapterSettings(isPowered: true, hasPrivacy: false)))
  }

  @Test
  func `changes of a phone are recorded until the kernel restarts`() throws {
    var changes = KernelChanges()
    #expect(changes.text(boot: "b") == nil)
    let intervals = [1280, 181.25, 270].map { AdvertisingInterval(clamping: $0) }
    changes.beginSetting(intervals[1], over: intervals[0])
    changes.beginSetting(intervals[2], over: intervals[1])
    changes.hold([3, 1])
    let text = try #require(changes.text(boot: "b"))
    #expect(text == "boot b\ninterval 1280.0 1280.0\nown 181.25 181.25\nown 270.0 270.0\ninstance 1\ninstance 3\n")
    #expect(KernelChanges(text: text, boot: "b") == changes)
    #expect(KernelChanges(text: text, boot: "c") == KernelChanges())
    #expect(KernelChanges(text: "instance\ninterval 1 2\nown\nboot b", boot: "b") == KernelChanges())
  }

  @Test(
    "The interval before the phone is put back, unless another program has changed the phone's",
    arguments: [
      ([1280, 181], 181, 1280), ([1280, 181, 270], 270, 1280), ([1280, 181, 270], 181, 1280), ([1280, 181], 500, nil),
      ([1280, 181], nil, nil),
    ] as [([Double], Double?, Double?)])
  func formerInterval(set: [Double], current: Double?, restored: Double?) {
    var changes = KernelChanges()
    func interval(_ milliseconds: Double) -> AdvertisingInterval { AdvertisingInterval(clamping: milliseconds) }
    for (former, new) in zip(set, set.dropFirst()) { changes.beginSetting(interval(new), over: interval(former)) }
    let found = changes.endSetting(over: current.map(interval))
    #expect(found == restored.map(interval))
    #expect(changes == KernelChanges())
  }

  @Test
  func `the keeper sends its commands when the phone's process has ended`() throws {
    let pipe = try #require(DataPipe())
    var keeper = InstanceKeeper(pipe.writer, on: TestLoops.first) {}
    keeper?.hold([.removeAdvertising(instance: 2)], of: 0)
    keeper?.hold([], of: 0)
    keeper?.hold([.removeAdvertising(instance: 1), .removeAdvertising(instance: 3)], of: 0)
    #expect(keeper != nil)
    keeper = nil
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe read(pipe.reader, &bytes, bytes.count)
    #expect(Array(bytes.prefix(count)) == [0x3F, 0, 0, 0, 1, 0, 1, 0x3F, 0, 0, 0, 1, 0, 3])
  }

  @Test(.timeLimit(.minutes(5)))
  func `a keeper whose shell is killed reports the end, so that it is replaced`() async throws {
    let pipe = try #require(DataPipe())
    let ends = Mailbox<Bool>()
    let keeper = try #require(InstanceKeeper(pipe.writer, on: TestLoops.first) { ends.put(true) })
    keeper.child.send(signal: SIGKILL)
    #expect(try await ends.next())
    withExtendedLifetime(keeper) {}
  }

  private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.bytes(hex.filter { $0 != " " })) }
}
