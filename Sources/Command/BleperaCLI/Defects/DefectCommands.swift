public import ArgumentParser
import BleperaAppLink
public import BleperaBluetooth
import BleperaRules

struct DefectCommand: ControlCommand {
  enum Action: String, CaseIterable, ExpressibleByArgument { case on, off }

  static let configuration = CommandConfiguration(
    commandName: "defect",
    abstract: "Switch a defect of a running phone on or off.",
    discussion: """
      'blepera defects' lists them. A phone has none at its start, unless '--defect NAME' names one.

        blepera defect write-stall on
      """)

  @Argument(help: ArgumentHelp("The defect.", valueName: "name"))
  var defect: PhoneDefect

  @Argument(help: "on or off.")
  var state: Action

  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.defect, defect: defect, isOn: state == .on) }
}

struct DefectsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "defects",
    abstract: "List the defects that are reported of iPhones.",
    discussion: """
      'blepera defect NAME on' and '--defect NAME' give a phone a defect. What no thread reports is marked as ours.
      """)

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  func run() { DefectsReport().print(on: Terminal(.output), asJSON: json) }
}

/// The result of `blepera defects`.
struct DefectsReport: CommandReport {
  var defects = PhoneDefect.allCases.map(\.report)

  func lines(for terminal: Terminal) -> [String] {
    let blocks = defects.map { defect in
      let facts: [(name: String, text: String?)] = [
        ("effect", defect.effect), ("iOS", defect.versions), ("seen", defect.counts), ("source", defect.source),
        ("ours", defect.ours),
        ("radio", defect.virtualOnly ? "virtual only" : defect.isOfLinkLayer ? "not over BlueZ" : nil),
      ]
      return [terminal.styled(defect.name, .bold)]
        + facts.flatMap { name, text in
          let line = text.map { "  \(TextLayout.padded(name, to: 8))\($0)" } ?? ""
          return TextLayout.folded(line, to: min(terminal.columns, 120), indent: 10).split(separator: "\n").map(
            String.init)
        }
    }
    return Array(blocks.joined(separator: [""]))
  }
}

extension PhoneDefect: ExpressibleByArgument {}
