import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct FileHelpTests {
  @Test func `convert says what is kept`() {
    #expect(
      Blepera.helpMessage(for: ConvertCommand.self, columns: 80) == """
        OVERVIEW: Convert a property list to text or XML.

        Without --to, an output file named *.xml or *.txt is XML or text; otherwise
        text becomes XML, and XML and binary become text. Comments are kept. In a
        profile and in a scenario, text has numbers and booleans as the key asks
        (Interval = 0.5); elsewhere they have their type (<*R0.5>), as GNUstep writes
        them.

          blepera convert scenarios/whole-mask.plist
          blepera convert --to xml profile.plist -o Info.plist

        The exit status is 2 if the file has an error or the form cannot represent a
        value.

        USAGE: blepera convert <file> [--to <form>] [--output <file>]

        ARGUMENTS:
          <file>                  A property list: a profile, a scenario or any other.

        OPTIONS:
          --to <form>             The form to write; from XML, plutil and plistutil
                                  make the binary one. (values: xml, text)
          -o, --output <file>     The file to write, which must not exist unless it is
                                  the converted one (default: standard output).
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `init says which services there are`() {
    #expect(
      Blepera.helpMessage(for: InitCommand.self, columns: 80) == """
        OVERVIEW: Write a commented profile of standard services.

        The services: battery, blood-pressure, current-time, cycling-power,
        device-information, environmental-sensing, health-thermometer, heart-rate,
        immediate-alert, nordic-uart, running-speed, weight-scale.

          blepera init heart-rate -o heart.plist
          blepera serve --virtual heart.plist

        In a terminal without services, asks for them. A service that Core Bluetooth
        refuses to apps is left out, with a note. The exit status is 1 if nothing is
        left or the file cannot be written.

        USAGE: blepera init [<service> ...] [--output <file>]

        ARGUMENTS:
          <service>               Standard services by name.

        OPTIONS:
          -o, --output <file>     The file to write, which must not exist (default:
                                  standard output).
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }
}
