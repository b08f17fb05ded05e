import BleperaTesting
import Testing

@Suite("What an app that scans receives", .traced)
struct ScannerTests {
  private static let heartRate = BluetoothUUID(0x180D as UInt16)

  /// The scan response, and whether an app finds the service in the foreground, in the background with the
  /// screen on, and with the screen off.
  @Test(
    "A service of the scan response alone is found in the foreground, and its overflow area while the screen is on",
    arguments: [
      ("0303 0d18", [true, false, false]), ("14ff 4c00 01 0000000000000020 0000000000000000", [true, true, false]),
    ],
    [15, 16, 26])
  func scanResponse(_ response: (data: String, isFound: [Bool]), ios: Int) async throws {
    let air = Air()
    // The advertisement has flags and the name "Board".
    let board =
      "{ Name = Board; Advertisement = { Data = <020106 0609426f617264>; ScanResponse = <\(response.data)>; }; }"
    let accessory = try Accessory(on: air, named: "board", file: Array(board.utf8))
    let central = Central(on: air, as: .iPhoneApp(iOS: ios))
    let changes: [(Central) -> Void] = [{ _ in }, { $0.moveToBackground() }, { $0.switchScreen(on: false) }]
    for (change, isFound) in zip(changes, response.isFound) {
      change(central)
      let found = await central.discover(scanningFor: [Self.heartRate], within: .seconds(60)) { _ in true }
      #expect(found?.address == (isFound ? accessory.identityAddress : nil))
    }
  }

  @Test(
    "A service is found by both forms of its UUID, and each advertised form is on the air",
    arguments: ["FFF0", "0000FFF0-0000-1000-8000-00805F9B34FB"], ["FFF0", "0000FFF0-0000-1000-8000-00805F9B34FB"])
  func forms(advertised: String, looked: String) async throws {
    let air = Air()
    let phone = Phone(on: air)
    let (advertised, looked) = (try #require(BluetoothUUID(advertised)), try #require(BluetoothUUID(looked)))
    phone.launch(
      AppDefinition(
        "org.example.forms", advertising: [advertised],
        services: [ServiceDefinition(uuid: advertised, characteristics: [])]))
    for central in [Central(on: air), Central(on: air, as: .iPhoneApp())] {
      let found = try #require(await central.discover(.service(looked), within: .seconds(3)))
      #expect(found.serviceUUIDs.map(\.description) == [advertised.description])
    }
    phone.moveToBackground()
    #expect(await Central(on: air, as: .iPhoneApp()).discovers(.overflow(looked), within: .seconds(3)))
  }
}
