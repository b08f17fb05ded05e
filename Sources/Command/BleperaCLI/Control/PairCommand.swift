public import ArgumentParser
import BleperaAppLink
public import BleperaBluetooth

struct PairCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Answer a pairing that waits for the phone's user.",
    discussion: """
      With '--pairing compare' the phone shows a number, and the user compares it with the number of the other device: \
      'blepera pair yes' or 'blepera pair no'. A passkey that a peripheral shows is typed with 'blepera pair 123456'. \
      'blepera status' lists the pairings that wait. Without an answer a pairing ends after 30 s.
      """)

  @Argument(help: "yes, no, or a passkey of six digits.")
  var response: PairingResponse

  @Option(help: ArgumentHelp("The other device (default: the only one).", valueName: "address"))
  var device: String?

  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.pair, device: device, response: response) }
}

extension PairingResponse: ExpressibleByArgument {}
