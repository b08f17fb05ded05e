import ArgumentParser
import BleperaBluetooth
import BleperaController
import BleperaRadio
import BleperaRecording
import BleperaSessions

/// The controller of a radio without bluetoothd; an option that was not given is nil.
struct ControllerOptions: ParsableArguments {
  static let places = "hci0, tcp:HOST:PORT, unix:PATH or serial:PATH[,BAUD]"

  @Option(
    help: ArgumentHelp("Use a controller: \(places); --hci offers one.", valueName: "place"),
    transform: ControllerPlace.init)
  var controller: ControllerPlace?

  @Option(
    help: ArgumentHelp("With --controller: write its HCI packets.", valueName: "file", visibility: .hidden),
    completion: .file(extensions: ["btsnoop"]))
  var btsnoop: String?

  func validate() throws {
    guard btsnoop == nil || controller != nil else {
      throw ValidationError(
        "'--btsnoop' requires '--controller'; over BlueZ, 'btmon --write FILE' records the adapter's packets.")
    }
  }

  /// Refuses the options with `--virtual`.
  func refuse() throws {
    guard controller != nil else { return }
    throw ValidationError(
      "'--controller' cannot be combined with '--virtual': '--controller' uses a controller, and '--hci' offers one.")
  }

  /// Nil without a controller. For an adapter of the kernel, returns in a process without capabilities.
  ///
  /// - Throws: why the process or the file of `--btsnoop` cannot be had.
  func settings() throws -> ControllerSettings? {
    guard let controller else { return nil }
    try ControllerRights.drop(for: controller)
    var settings = ControllerSettings(place: controller)
    if let btsnoop {
      settings.capture = try CaptureWriter(btsnoop, header: BtsnoopFile.header) { OutputQueues.fail($0) }
    }
    return settings
  }

  /// The options of a phone with a controller, with the Device Name that the user has chosen.
  func options(_ emulation: EmulationOptions) -> [PhoneOption] {
    [
      PhoneOption("--device-name", emulation.deviceName.first) { $0 },
      PhoneOption("--controller", controller) { "\($0)" }, PhoneOption("--btsnoop", btsnoop) { $0 },
    ].compactMap(\.self)
  }

  /// The warning of a mode of pairing; the passkey's is about bluetoothd.
  func notice(_ pairing: PairingMode) -> String? {
    controller == nil || pairing == .justWorks ? pairing.notice : nil
  }
}
