import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct CentralHelpTests {
  @Test func `scan says whose eyes it has, and what it does to bluetoothd`() {
    #expect(
      Blepera.helpMessage(for: ScanCommand.self, columns: 80) == #"""
        OVERVIEW: Scan as an app on an iPhone does, and compare the results with
        Android and BlueZ.

        Prints each discovered device, and prints it again when its advertisement
        changes: what an app on an iPhone that scans for these services receives, what
        Android shows, and what BlueZ shows, which merges earlier data of a device. The
        services of an iPhone in the background are in its overflow area, where each is
        one bit of 128: an iPhone discovers the requested services by their bits, and
        cannot know whether another UUID has set them.

        The command scans until Ctrl-C, on the machine's adapter or on that of a lab:

          blepera lab --serve profiles/heart-rate.plist --background -- \
            blepera scan --services 180D --seconds 5

        bluetoothd reports discoverable devices only. The command removes devices that
        are not paired, trusted or connected from bluetoothd every second, since
        bluetoothd would merge earlier data with what is on the air. The exit status is
        1 if the radio cannot be used; 'blepera doctor' diagnoses it.

        USAGE: blepera scan [<options>]

        OPTIONS:
          --services <uuid>       The services that the app scans for (default: any
                                  device).
          --background            Scan as an app in the background.
          --screen-off            Scan while the iPhone's screen is off, with every app
                                  in the background.
          --live-activity         Scan as an app with a Live Activity: in the
                                  background without services too, from iOS 26 on.
          --ios <version>         The iOS version to emulate. (values: 10, 11, 12, 13,
                                  14, 15, 16, 17, 18, 26, 27; default: 26)
          --adapter <hciN>        The adapter to use (default: the first that is
                                  powered on).
          --seconds <seconds>     Stop after this many seconds.
          --json                  Print each event as a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """#)
  }

  @Test func `clone says what a profile gets and what not`() {
    #expect(
      Blepera.helpMessage(for: CloneCommand.self, columns: 80) == #"""
        OVERVIEW: Connect to a device, read its values, and write a profile.

        The profile contains the device's services, characteristics, descriptors,
        readable values and advertisement. Values of read-only characteristics are
        cached values; others are echoed or constant. Comments list the values that
        could not be read and the attributes that an app cannot publish. For a value
        that requires an encrypted link, bluetoothd pairs with the device, which stays
        paired; an unpaired device is removed from bluetoothd afterwards. 'blepera
        scan' lists addresses; in a lab:

          blepera lab --public-address --serve profiles/smart-lock.plist -- \
            blepera clone 00:AA:01:00:00:01 --output clone.plist

        The exit status is 1 if the device cannot be discovered or read, and 130 after
        Ctrl-C.

        USAGE: blepera clone <address> [<options>]

        ARGUMENTS:
          <address>               The device's address, such as 00:11:22:33:44:55.

        OPTIONS:
          --output <file>         The file to write, which must not exist (default:
                                  standard output).
          --adapter <hciN>        The adapter to use (default: the first that is
                                  powered on).
          --seconds <seconds>     How long to scan for the device. (default: 30)
          --version               Show the version.
          -h, --help              Show help information.

        """#)
  }
}
