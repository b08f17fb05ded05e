import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct CentralHelpTests {
  @Test func `scan says whose eyes it has, and what it does to bluetoothd`() {
    #expect(
      Blepera.helpMessage(for: ScanCommand.self, columns: 80) == #"""
        OVERVIEW: Scan as an app on an iPhone does, and say what it, Android and BlueZ
        see.

        Prints each device that is heard, and anew when it advertises something else:
        what an app on an iPhone makes of it that scans for these services; what
        Android shows; and what BlueZ shows, which takes nothing back that a device has
        said before. The services of an iPhone in the background are in its overflow
        area, where each is one bit of 128: an iPhone finds those that it asks for, by
        their bits, and cannot know whether another UUID has set them.

        It scans until Ctrl-C, on the machine's adapter or in a lab on that of the lab:

          blepera lab --serve profiles/heart-rate.plist --background -- \
            blepera scan --services 180D --seconds 5

        bluetoothd tells of discoverable devices alone. Every second it is made to
        forget those that are not paired, trusted or connected: it would mix what they
        have said before with what is on the air. The exit status is 1 if the radio
        cannot be used; 'blepera doctor' says more about it.

        USAGE: blepera scan [<options>]

        OPTIONS:
          --services <uuid>       The services that the app scans for; by default for
                                  any device.
          --background            Scan as an app in the background.
          --screen-off            Scan while the iPhone's screen is off: every app is
                                  in the background then.
          --ios <version>         The version of iOS whose rules apply. (values: 11,
                                  13, 14, 18, 26; default: 26)
          --adapter <hciN>        The adapter to be used; by default the first that is
                                  powered on.
          --seconds <seconds>     End after so many seconds.
          --json                  Print each event as a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """#)
  }

  @Test func `clone says what a profile gets and what not`() {
    #expect(
      Blepera.helpMessage(for: CloneCommand.self, columns: 80) == #"""
        OVERVIEW: Write a profile from a device: connect to it and read what can be
        read.

        The profile has the device's services, characteristics, descriptors, the values
        that can be read, and what it advertises. Values of characteristics that can
        only be read are cached ones; others are echoed or stay as they were read.
        Comments say what could not be read and what an app cannot have. A value that
        needs an encrypted link has bluetoothd pair with the device, which stays
        paired; others bluetoothd forgets again. 'blepera scan' shows addresses; in a
        lab:

          blepera lab --serve profiles/smart-lock.plist -- \
            blepera clone 00:AA:01:00:00:01 --output clone.plist

        The exit status is 1 if the device cannot be heard or read, and 130 after
        Ctrl-C.

        USAGE: blepera clone <address> [<options>]

        ARGUMENTS:
          <address>               The device's address, such as 00:11:22:33:44:55.

        OPTIONS:
          --output <file>         The file to be written, which must not be there yet;
                                  by default standard output.
          --adapter <hciN>        The adapter to be used; by default the first that is
                                  powered on.
          --seconds <seconds>     How long the device is looked for. (default: 30)
          --version               Show the version.
          -h, --help              Show help information.

        """#)
  }
}
