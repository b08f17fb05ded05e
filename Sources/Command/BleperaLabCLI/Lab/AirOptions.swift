import ArgumentParser
import BleperaAir
import BleperaAppLink
import BleperaBluetooth
package import BleperaCLI
import BleperaHCI
import BleperaPhone
import BleperaRecording
import BleperaSessions
import BleperaVirtualBlueZ

/// Settings of a virtual air and the BlueZ on it, for `lab`, `serve --virtual` and `system --virtual`. An option that
/// was not given is nil.
package struct AirOptions: VirtualRadioOptions {
  @Flag(help: "Give phones public addresses, which do not change.")
  var publicAddress = false

  @Option(
    help: ArgumentHelp(
      "The ATT_MTU of phones (default: by iOS and data length).", valueName: "bytes"))
  var mtu: Int?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Packet loss, 0 to 100 (default: 0).", valueName: "percent"))
  var loss: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Signal strength, -127 to 20 (default: -50).", valueName: "dBm"))
  var rssi: Int?

  @Option(help: ArgumentHelp("Spacing of an event's packets, 0.4 to 10 (default: 1.126).", valueName: "ms"))
  var spacing: Double?

  @Flag(help: "Scanners ask less often after requests that failed.")
  var backoff = false

  @Option(help: ArgumentHelp("A packet that is stronger by so much survives a collision.", valueName: "dB"))
  var captureEffect: Int?

  @Option(help: ArgumentHelp("Connection interval, 7.5 to 4000 (default: 30).", valueName: "ms"))
  var linkInterval: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Random seed; equal seeds give equal runs.", valueName: "number"))
  var seed: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Suspended apps terminated an hour (default: 0).", valueName: "n"))
  var memoryPressure: Double?

  @Option(
    help: ArgumentHelp("Its BlueZ (default: 5.66).", valueName: "x"))
  var bluezVersion: VirtualBlueZVersion?

  @Flag(
    help: "Programs find a bluetoothd -E, with passive scans."
  )
  var experimental = false

  @Option(help: ArgumentHelp("Offer a controller: tcp:PORT, unix:PATH or pty.", valueName: "endpoint"))
  var hci: [HCIEndpoint] = []

  @OptionGroup var capture: CaptureOptions

  package init() {}

  package func validate() throws {
    if let loss, !(0...100).contains(loss) { throw ValidationError.outOfRange("--loss", "0 to 100 percent", loss) }
    if let memoryPressure, !(0...3600).contains(memoryPressure) {
      throw ValidationError.outOfRange("--memory-pressure", "0 to 3600 terminations an hour", memoryPressure)
    }
    if let rssi, !(-127...20).contains(rssi) {
      throw ValidationError.outOfRange("--rssi", "-127 to 20 dBm", Double(rssi))
    }
    if let spacing, !(0.4...10).contains(spacing) {
      throw ValidationError.outOfRange("--spacing", "0.4 to 10 ms", spacing)
    }
    if let captureEffect, !(0...100).contains(captureEffect) {
      throw ValidationError.outOfRange("--capture-effect", "0 to 100 dB", Double(captureEffect))
    }
    if let linkInterval, !(7.5...4000).contains(linkInterval) || linkInterval / 1.25 != (linkInterval / 1.25).rounded()
    {
      throw ValidationError(
        "'--link-interval' must be a multiple of 1.25 ms from 7.5 to 4000, not \(Quote.number(linkInterval)).")
    }
    if let seed, UInt64(seed) == nil {
      throw ValidationError("'--seed' must be a number from 0 to \(UInt64.max), not '\(seed)'.")
    }
    try ATTMTU.validate(mtu)
  }

  package func requireAvailable() {}

  /// Refuses the options without `--virtual`.
  package func refuseAll(hasController: Bool) throws {
    try capture.requireVirtual(false, "requires '--virtual'", hasController: hasController)
    if mtu != nil {
      throw ValidationError(
        "'--mtu' requires '--virtual'; "
          + (hasController
            ? "over a controller the phone has an iPhone's ATT_MTU."
            : "bluetoothd has its own, ExchangeMTU in main.conf."))
    }
    if publicAddress {
      throw ValidationError(
        "'--public-address' requires '--virtual': over "
          + (hasController
            ? "a controller the phone has private addresses." : "BlueZ the adapter's address is on the air."))
    }
    let given = [
      ("--loss", loss != nil), ("--rssi", rssi != nil), ("--spacing", spacing != nil), ("--backoff", backoff),
      ("--capture-effect", captureEffect != nil), ("--link-interval", linkInterval != nil),
      ("--seed", seed != nil), ("--memory-pressure", memoryPressure != nil), ("--bluez-version", bluezVersion != nil),
      ("--experimental", experimental), ("--hci", !hci.isEmpty),
    ]
    if let (name, _) = given.first(where: \.1) { throw ValidationError("'\(name)' requires '--virtual'.") }
  }

  func captureFiles(beside trace: String? = nil) throws -> CaptureFiles? {
    try capture.start(hosts: hci.count, beside: trace)
  }

  func apply(to options: inout VirtualOptions) {
    options.behavior = (bluezVersion ?? .bookworm).behavior(isExperimental: experimental)
    options.conditions = AirConditions(loss: (loss ?? 0) / 100, rssi: rssi ?? -50)
    if let spacing { options.conditions.spacing = .microseconds(Int(spacing * 1000)) }
    (options.conditions.hasBackoff, options.conditions.capture) = (backoff, captureEffect)
    if let linkInterval { options.conditions.interval = .microseconds(Int(linkInterval * 1000)) }
    options.phone.mtu = mtu
    options.phone.memoryPressure = memoryPressure ?? 0
    options.phone.usesPublicAddress = publicAddress
    options.doors = hci
    if let seed = seed.flatMap({ UInt64($0) }) { options.seed = seed }
  }
}

extension AirOptions {
  package func run(_ phone: VirtualPhone, _ emulation: EmulationOptions, printer: EventPrinter) async throws -> CInt {
    var options = VirtualOptions()
    options.name = phone.command
    options.phones = [VirtualOptions.Phone(name: phone.address.name, apps: phone.apps)]
    options.isFresh = phone.isFresh
    (options.hasCentral, options.endsWithApps) = (phone.keys != nil, phone.keys != nil)
    options.launch = phone.launch
    options.linger = phone.linger
    options.seed = TraceHeader.randomSeed
    emulation.apply(to: &options)
    options.phone.unusableState = phone.unusableState
    apply(to: &options)
    let files = try captureFiles(beside: phone.trace)
    options.capture(to: files)
    let session = VirtualSession(
      options, at: phone.address, endProcess: phone.keys?.endProcess ?? ProcessEnd.perform, observe: phone.observe,
      observeCentral: { printer.print($0) })
    let status =
      if let keys = phone.keys {
        try await keys.control(session, on: session.loop) { await session.run() }
      } else {
        await session.run()
      }
    printer.finish(files)
    return status
  }
}

extension EmulationOptions {
  func apply(to options: inout VirtualOptions) {
    options.phone = phone
    options.deviceNames = deviceName
    options.relaunch = relaunch
    options.settings = self.options.map(\.text)
  }
}

extension HCIEndpoint: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}

/// The releases of BlueZ with which the virtual BlueZ was compared, and the release to come.
enum VirtualBlueZVersion: String, CaseIterable, ExpressibleByArgument {
  /// Debian 12.
  case bookworm = "5.66"
  /// Debian 13.
  case trixie = "5.82"
  /// BlueZ's tree after 5.87.
  case next

  func behavior(isExperimental: Bool) -> DaemonBehavior {
    switch self {
    case .bookworm: DaemonBehavior(minor: 66, isExperimental: isExperimental)
    case .trixie: DaemonBehavior(minor: 82, isExperimental: isExperimental)
    case .next: DaemonBehavior(minor: 88, isExperimental: isExperimental)
    }
  }
}

extension ATTMTU {
  /// Checks the value of `--mtu`.
  static func validate(_ mtu: Int?) throws {
    guard let mtu, !range.contains(mtu) else { return }
    throw ValidationError.outOfRange("--mtu", "\(range.lowerBound) to \(range.upperBound) bytes", Double(mtu))
  }
}
