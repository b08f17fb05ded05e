package import ArgumentParser
package import BleperaAppLink
package import BleperaBluetooth
package import BleperaProfileApp
package import BleperaSessions

/// The radio of `serve --virtual` and `system --virtual`: the options, and a function that runs a phone.
///
/// The radio of `BleperaLabCLI` is the virtual air; a build without the lab has `NoVirtualRadio`.
package protocol VirtualRadioOptions: ParsableArguments {
  /// Throws if the build has no virtual radio.
  func requireAvailable() throws(ValidationError)
  /// Refuses the options without `--virtual`.
  func refuseAll(hasController: Bool) throws
  /// Runs a phone until its end, and returns the exit status.
  func run(_ phone: VirtualPhone, _ emulation: EmulationOptions, printer: EventPrinter) async throws -> CInt
}

extension VirtualRadioOptions {
  /// Refuses options that the radio does not have: the virtual one, that of a controller, or that of bluetoothd.
  func check(
    isVirtual: Bool, _ own: ControllerOptions, _ bluez: BlueZOptions, _ emulation: EmulationOptions, _ kept: FreshOption
  ) throws {
    if isVirtual {
      try requireAvailable()
      try own.refuse()
      try bluez.refuseAll(with: .virtual)
      return try emulation.checkNames(ofPhones: 1)
    }
    let hasController = own.controller != nil
    try refuseAll(hasController: hasController)
    try kept.refuse(hasController: hasController)
    guard hasController else { return try emulation.refuseVirtual() }
    try bluez.refuseAll(with: .controller)
    try emulation.refuse(PhoneDefect.ofVirtualLinkLayer, "the controller's own")
    try emulation.checkNames(ofPhones: 1)
  }
}

/// A phone on a virtual radio, with the settings of `serve` and `system`.
package struct VirtualPhone {
  /// The command for the header of a trace: `serve` or `system`.
  package let command: String
  package let address: ControlAddress
  package let isFresh: Bool
  package let observe: SessionObserver
  /// The keys of the terminal of `serve`, whose session has a central and ends with its apps; nil for `system`.
  package var keys: KeyboardControls?
  package var apps: [NamedProfile] = []
  package var launch = LaunchMode.foreground
  /// The file of `--record`.
  package var trace: String?
  /// The state that apps receive in place of powered on.
  package var unusableState: ManagerState?
  /// The time that the phone stays for preserved apps; nil for a phone that does not end by itself.
  package var linger: Duration?
}

/// The radio of a build without the virtual air.
package struct NoVirtualRadio: VirtualRadioOptions {
  private static let refusal = ValidationError(
    "'--virtual' requires the virtual radio, without which this blepera was built: build it without BLEPERA_CORE.")

  package init() {}

  package func requireAvailable() throws(ValidationError) { throw Self.refusal }
  package func refuseAll(hasController: Bool) {}

  package func run(_ phone: VirtualPhone, _ emulation: EmulationOptions, printer: EventPrinter) throws -> CInt {
    throw Self.refusal
  }
}
