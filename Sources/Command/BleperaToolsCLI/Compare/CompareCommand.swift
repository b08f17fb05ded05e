import ArgumentParser
import BleperaAir
import BleperaBluetooth
import BleperaCLI
import BleperaCompare
import BleperaProfile
import BleperaProfileApp
import BleperaReport
import BleperaRules

struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare captures of an iPhone with the rules.",
    usage: """
      blepera compare [<options>] <capture> ...
      blepera compare --listen <hciN> [<options>]
      blepera compare --scenes [-o <file>]
      """,
    discussion: """
      Reads a phone's own log (PacketLogger's .pklg of a sysdiagnose, btsnoop, pcap and pcapng of HCI) and what a sniffer \
      received (pcap and pcapng), and prints for each value that a capture can show: what the rules have, what was \
      measured, from how many packets, and whether both agree.

        blepera compare bluetoothd-hci-latest.pklg
        blepera compare sniffed.pcap --profile heart-rate.plist
        blepera compare air-host1.btsnoop --host-log --profile heart-rate.plist

      --listen compares what bluetoothd reports, and lists what it does not.

      --scenes asks for what to do with the phone while it is captured, and notes the times. With that file as --scene, \
      values are measured by where the app was then; the clocks are compared by three pairs of lock and unlock.

      On the air the phone is found by the services of a profile, in the overflow area too, by --address, or by --irk. \
      Addresses, names, keys and values of the capture are not printed. The exit status is 2 if a capture cannot be read \
      to its end; what came before the fault is compared.
      """)

  @Argument(help: ArgumentHelp("A capture; - for standard input.", valueName: "capture"), completion: .file())
  var captures: [String] = []

  @Flag(help: "The HCI captures are of a host that met the phone, such as one at a lab.")
  var hostLog = false

  private var receiver: AirReceiver { hostLog ? .host : .sniffer }

  @Option(help: ArgumentHelp("Listen with this adapter, in place of a capture.", valueName: "hciN"))
  var listen: String?

  @Option(help: ArgumentHelp("Listen for this long (default: until Ctrl-C).", valueName: "seconds"))
  var seconds: Double?

  @Option(
    help: ArgumentHelp("The profile of the app that the phone runs.", valueName: "file"), completion: .propertyList)
  var profile: [String] = []

  @Option(help: ArgumentHelp("An address of the phone, such as 5A:01:02:03:04:05.", valueName: "address"))
  var address: [String] = []

  @Option(help: ArgumentHelp("The identity resolving key of the phone, 32 hexadecimal digits.", valueName: "key"))
  var irk: String?

  @Option(
    help: ArgumentHelp(
      "The iOS version to compare with (default: as the capture says, or \(IOSVersion.newest.rawValue)).",
      valueName: "version"))
  var ios: IOSVersion?

  @Option(
    help: ArgumentHelp("The kind of phone: n1 is the iPhone 17 (default: as the capture says).", valueName: "kind"))
  var phoneKind: PhoneKindName?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write what differs, for '--like', or the scene file; it must not exist.", valueName: "file"),
    completion: .propertyList)
  var output: String?

  @Option(
    help: ArgumentHelp("Write an HTML page with the gaps between packets.", valueName: "file"), completion: .page)
  var html: String?

  @Flag(help: "Play the scenes, and write the scene file.")
  var scenes = false

  @Option(help: ArgumentHelp("The scene file of the capture.", valueName: "file"), completion: .file())
  var scene: String?

  @Option(help: ArgumentHelp("By how much the capture's clock is ahead of the scenes.", valueName: "seconds"))
  var offset: Double?

  @Flag(help: "Show the bytes of Apple's items, which may recognize the phone.")
  var showValues = false

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  @Flag(help: "Print the JSON that may be published, without names of files.")
  var anonymous = false

  func validate() throws {
    try PhoneKindName.validate(phoneKind, ios)
    if scenes, !captures.isEmpty { throw ValidationError("'--scenes' takes no capture; '--scene' takes its file.") }
    if listen != nil, !captures.isEmpty || scenes || scene != nil {
      throw ValidationError("'--listen' takes no capture and no scenes.")
    }
    if hostLog, listen != nil || scenes { throw ValidationError("'--host-log' needs a capture.") }
    if listen != nil || hostLog, profile.isEmpty, address.isEmpty, irk == nil {
      throw ValidationError(
        "'\(hostLog ? "--host-log" : "--listen")' needs '--profile', '--address' or '--irk', by which the phone is found."
      )
    }
    if !scenes, captures.isEmpty, listen == nil { throw ValidationError("Give a capture, '--listen' or '--scenes'.") }
    if seconds != nil, listen == nil { throw ValidationError("'--seconds' needs '--listen'.") }
    if let seconds, !(0.1...86400).contains(seconds) {
      throw ValidationError.outOfRange("--seconds", "0.1 to 86400", seconds)
    }
    if offset != nil, scene == nil { throw ValidationError("'--offset' needs '--scene'.") }
    if let offset, ClockOffset(seconds: offset) == nil {
      throw ValidationError("'--offset' is not a difference of clocks.")
    }
    if anonymous, showValues { throw ValidationError("'--anonymous' omits the values that '--show-values' shows.") }
    if scene != nil, offset == nil, captures.contains("-") {
      throw ValidationError("Standard input is read once; give '--offset' too.")
    }
    if let wrong = address.first(where: { DeviceAddress($0) == nil }) {
      throw ValidationError("'\(wrong)' is not an address, such as 5A:01:02:03:04:05.")
    }
    if irk != nil, key == nil { throw ValidationError("--irk needs 32 hexadecimal digits.") }
  }

  private var key: IdentityResolvingKey? { irk.flatMap { Hex.bytes($0) }.flatMap { IdentityResolvingKey($0) } }

  func run() async throws {
    let file = output.map { OutputFile(path: $0) }
    try file?.checkIsFree()
    if scenes {
      let text = try ScenePlayer.play(on: Terminal(.error)).text
      return try file?.create(Array(text.utf8)) ?? Terminal(.output).print(text: text)
    }
    let played = try scene.map { try Self.scenes($0) }
    let page = try html.map { try ReportOutput(path: $0, replacing: ReportPage.beginning) }
    let services =
      profile.isEmpty ? [] : try ProfileFiles.load(profile).flatMap { $0.profile.advertisement?.serviceUUIDs ?? [] }
    let selection = PhoneSelection(
      services: services, addresses: Set(address.compactMap { DeviceAddress($0)?.bits }), key: key)
    var (comparison, isWhole, clocks) = (
      CaptureComparison(selection, receiver: receiver), true, [CompareReport.Clock]()
    )
    if let listen {
      let limit = seconds.map { Duration.milliseconds(Int($0 * 1000)) }
      comparison = try await LiveCapture.comparison(on: listen, of: selection, limit: limit)
    }
    for path in captures {
      let capture = CaptureFile(path: path)
      let clock = played.flatMap { clockOffset(of: $0, in: capture, selection) }
      if played != nil { clocks.append(CompareReport.Clock(path, clock)) }
      comparison.beginCapture(scenes: clock.flatMap { played?.shifted(by: $0) })
      do {
        try capture.read(progress: Terminal(.error)) { comparison.add($0) }
      } catch {
        CommandFailure.report("\(path): \(error)")
        isWhole = false
      }
    }
    let ios = ios ?? comparison.ios ?? .newest
    let noted = comparison.product.flatMap { PhoneKind(product: $0, running: ios) }
    let rules = RuleSet(ios).with(phoneKind: phoneKind?.kind ?? noted ?? .earlier)
    let report = CompareReport(comparison, rules, showsValues: showValues, clocks: anonymous ? [] : clocks)
    report.print(on: Terminal(.output), asJSON: json || anonymous)
    try page?.write(html: ComparePage(report: report, comparison: comparison, rules: rules).html)
    if let file {
      let phone = MeasuredPhone(comparison, rules, of: listen.map { [$0] } ?? captures, showsValues: showValues)
      try file.create(Array(phone.text(head: ["What differs from \(ios), by 'blepera compare'."]).utf8))
    }
    if !isWhole { throw ExitCode.faultyInput }
  }

  private static func scenes(_ path: String) throws -> PlayedScenes {
    let bytes: [UInt8]
    do throws(ProfileFile.Unreadable) {
      bytes = try ProfileFile.read(path, atMost: longestSceneFile, what: "a scene file", form: "a scene file")
    } catch { throw CommandFailure.exit(error.description, .faultyInput) }
    guard let played = PlayedScenes(String(decoding: bytes, as: UTF8.self)) else {
      throw CommandFailure.exit("\(path): not a scene file, which 'blepera compare --scenes' writes", .faultyInput)
    }
    return played
  }

  /// The longest scene file that is read, in bytes.
  private static let longestSceneFile = 1 << 16

  /// The offset from the command line, or from the capture, which is read once more for it.
  private func clockOffset(
    of played: PlayedScenes, in capture: CaptureFile, _ selection: PhoneSelection
  ) -> ClockOffset? {
    if let offset { return ClockOffset(seconds: offset) }
    var comparison = CaptureComparison(selection, receiver: receiver)
    // A capture that cannot be read is reported when it is compared.
    try? capture.read { comparison.add($0) }
    return ClockOffset(of: played, in: comparison.lockChanges)
  }
}
