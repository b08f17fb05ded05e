import BleperaBluetooth
import BleperaDBus
import BleperaRadio
import TestSupport
import Testing

@testable import BleperaBlueZ

@Suite("The requested advertisement and its objects")
struct BlueZAirTests {
  /// `request a` is an app's advertisement with that name, `own` one that the phone sends of its own, `none` none.
  ///
  /// `update` has the objects that are removed, changed and added; `update exact` while the kernel has the packets.
  private static let table: [(String, String)] = [
    (
      "an object changes with its content",
      """
      request a
      update -> [] [0] [0]
      update -> [] [] []
      request b
      update -> [] [0] []
      request none
      update -> [0] [] []
      forget 0
      update -> [] [] []
      """
    ),
    (
      "bluetoothd has no object for what the phone sends of its own, or the kernel",
      """
      request own
      update -> [] [] []
      request a
      update exact -> [] [] []
      update -> [] [0] [0]
      update exact -> [0] [] []
      """
    ),
    (
      "an advertisement is reported once, until it is lost or another one is requested",
      """
      request a
      reports no -> no
      reports yes -> yes
      reports yes -> no
      lose -> yes
      lose -> no
      reports yes -> yes
      request b
      lose -> no
      reports yes -> yes
      """
    ),
    (
      "only a change of what bluetoothd takes changes the contents",
      """
      request a
      takes no -> no
      takes yes -> yes
      takes yes -> no
      """
    ),
  ]

  @Test("Each event has its result", arguments: table)
  func traces(name: String, text: String) {
    var air = BlueZAir()
    let differences = TraceLines(text).differences { Self.play($0.words, &air) }
    #expect(differences == [])
  }

  private static func play(_ words: [String], _ air: inout BlueZAir) -> String {
    switch words[0] {
    case "request": air.request(words[1] == "none" ? nil : advertisement(words[1]))
    case "update":
      let (removed, changed, added) = air.update(isExact: words.last == "exact") {
        ObjectPath.root.appending("advertisement\($0)")
      }
      return "\(removed) \(changed) \(added)"
    case "forget": air.forget(Int(words[1]) ?? 0)
    case "reports": return air.reports(isOnAir: words[1] == "yes") ? "yes" : "no"
    case "lose": return air.lose() ? "yes" : "no"
    case "takes": return air.takeScanResponses(words[1] == "yes") ? "yes" : "no"
    default: preconditionFailure("unknown event \(words)")
    }
    return ""
  }

  private static func advertisement(_ name: String) -> RadioAdvertisement {
    RadioAdvertisement(
      advertisingData: AdvertisingData([.flags(.iPhone), .completeLocalName(name)]), scanResponse: AdvertisingData(),
      interval: AdvertisingInterval(clamping: 270), isOwn: name == "own")
  }
}
