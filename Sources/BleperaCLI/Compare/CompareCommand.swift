import ArgumentParser
import BleperaAir
import BleperaBluetooth
import BleperaCapture
import BleperaCompare
import BleperaProfile
import BleperaProfileApp
import BleperaRules
import Glibc

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare captures of an iPhone with the rules.",
    usage: "blepera compare [<options>] <capture> ...",
    discussion: """
      Reads a phone's own log (PacketLogger's .pklg of a sysdiagnose, btsnoop, pcap and pcapng of HCI) and what a sniffer \
      received (pcap and pcapng), and prints for each value that a capture can show: what the rules have, what was \
      measured, from how many packets, and whether both agree.

        blepera compare bluetoothd-hci-latest.pklg
        blepera compare sniffed.pcap --profile heart-rate.plist

      On the air the phone is found by the services of a profile, in the overflow area too, by --address, or by --irk. \
      Addresses, names, keys and values of the capture are not printed. The exit status is 2 if a capture cannot be read \
      to its end; what came before the fault is compared.
      """)

  @Argument(help: ArgumentHelp("A capture.", valueName: "capture"), completion: .file())
  var captures: [String]

  @Option(
    help: ArgumentHelp("The profile of the app that the phone runs.", valueName: "file"), completion: .propertyList)
  var profile: [String] = []

  @Option(help: ArgumentHelp("An address of the phone, such as 5A:01:02:03:04:05.", valueName: "address"))
  var address: [String] = []

  @Option(help: ArgumentHelp("The identity resolving key of the phone, 32 hexadecimal digits.", valueName: "key"))
  var irk: String?

  @Option(help: ArgumentHelp("The iOS version to compare with.", valueName: "version"))
  var ios = IOSVersion.newest

  @Option(help: EmulationOptions.kindHelp)
  var phoneKind: PhoneKindName?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write what differs, for '--like'; the file must not exist.", valueName: "file"),
    completion: .propertyList)
  var output: String?

  @Flag(help: "Show the bytes of Apple's items, which may recognize the phone.")
  var showValues = false

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  func validate() throws {
    try PhoneKindName.validate(phoneKind, ios)
    if let wrong = address.first(where: { DeviceAddress($0) == nil }) {
      throw ValidationError("'\(wrong)' is not an address, such as 5A:01:02:03:04:05.")
    }
    if irk != nil, key == nil { throw ValidationError("--irk needs 32 hexadecimal digits.") }
  }

  private var key: IdentityResolvingKey? { irk.flatMap { Hex.bytes($0) }.flatMap { IdentityResolvingKey($0) } }

  func run() throws {
    let file = output.map { OutputFile(path: $0) }
    try file?.checkIsFree()
    let services =
      profile.isEmpty ? [] : try ProfileFiles.load(profile).flatMap { $0.profile.advertisement?.serviceUUIDs ?? [] }
    var comparison = CaptureComparison(
      PhoneSelection(services: services, addresses: Set(address.compactMap { DeviceAddress($0)?.bits }), key: key))
    var isWhole = true
    for path in captures {
      comparison.beginCapture()
      do {
        try CaptureFile.read(path) { comparison.add($0) }
      } catch {
        CommandFailure.report("\(path): \(error)")
        isWhole = false
      }
    }
    let rules = RuleSet(ios).with(phoneKind: phoneKind?.kind ?? .earlier)
    CompareReport(comparison, rules, showsValues: showValues).print(on: Terminal(.output), asJSON: json)
    if let file {
      let phone = MeasuredPhone(comparison, rules, of: captures, showsValues: showValues)
      try file.create(Array(phone.text(head: ["What differs from \(ios), by 'blepera compare'."]).utf8))
    }
    if !isWhole { throw ExitCode.faultyInput }
  }
}

/// Reads a capture in pieces.
private enum CaptureFile {
  struct Unreadable: Error, CustomStringConvertible { let description: String }

  static func read(_ path: String, _ add: (CapturedPacket) -> Void) throws {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard file >= 0 else { throw Unreadable(description: unsafe String(cString: strerror(errno))) }
    defer { close(file) }
    var reader = CaptureReader()
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = unsafe Glibc.read(file, &buffer, buffer.count)
      guard count >= 0 else { throw Unreadable(description: unsafe String(cString: strerror(errno))) }
      if count == 0 { reader.end() } else { reader.append(Array(buffer.prefix(count))) }
      while let packet = try reader.next() { add(packet) }
      if count == 0 { return }
    }
  }
}
