import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct HelpTests {
  @Test func `blepera says what it is for and where to begin`() {
    #expect(
      Blepera.helpMessage(columns: 80) == """
        OVERVIEW: A Bluetooth LE peripheral that behaves as an iPhone app does.

        blepera publishes the services of a property-list profile through BlueZ. Begin
        with:

          blepera doctor
          blepera serve profiles/heart-rate.plist

        USAGE: blepera <subcommand>

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        PHONE SUBCOMMANDS:
          serve                   Publish profiles' services and advertise them, until
                                  Ctrl-C.
          system                  Run the emulated phone by itself; apps come and go.
          status                  Show a running 'blepera serve': apps, states, what is
                                  on the air, subscribers.
          foreground              Bring the apps of a running 'blepera serve' to the
                                  foreground.
          background              Leave the apps of a running 'blepera serve': they go
                                  into the background.
          suspend                 Suspend the apps of a running 'blepera serve' at once.
          lock                    Switch the screen of the emulated phone off.
          unlock                  Switch the screen of the emulated phone on again.
          bluetooth               Switch the Bluetooth of the emulated phone on or off,
                                  or reset it.
          quit                    Quit apps as the user does by swiping them away.
          terminate               End apps as the system does when memory is short.
          reboot                  Reboot the emulated phone: apps end, and links too.
          shutdown                End the emulated phone; its state stays on disk.
          preserved               Look at what a phone keeps of its apps, or forget it.

        OFFLINE SUBCOMMANDS:
          check                   Look for faults in profiles, without a radio.
          explain                 Print what an iPhone would send for profiles, and
                                  what BlueZ will, without a radio.
          rules                   Print the rules by which an iPhone is emulated, with
                                  their values and sources.
          overflow                Compute the overflow area: the bits that an iPhone
                                  advertises in place of UUIDs.

        LABORATORY SUBCOMMANDS:
          lab                     Run a command on a virtual radio with phones, without
                                  hardware.
          scenario                Play stories of phones and centrals, and see whether
                                  they end as expected.
          replay                  Play a recorded trace against profiles, and report
                                  the first difference.

        CENTRAL SUBCOMMANDS:
          scan                    Scan as an app on an iPhone does, and say what it,
                                  Android and BlueZ see.
          clone                   Write a profile from a device: connect to it and read
                                  what can be read.

        MACHINE SUBCOMMANDS:
          doctor                  Look at this machine's bus, bluetoothd and adapters,
                                  and say what to mend.

          See 'blepera help <subcommand>' for detailed help.
        """)
  }

  @Test func `serve says what it prints and how it ends`() {
    #expect(
      Blepera.helpMessage(for: ServeCommand.self, columns: 80) == """
        OVERVIEW: Publish profiles' services and advertise them, until Ctrl-C.

        Each file is an app; together they are the apps of one phone. Prints a line for
        each event: what was published, who connected, what was read and written. In a
        terminal the keys f, b, s and l move the apps to the foreground, into the
        background, suspend them and switch the screen; ? lists the keys. From
        elsewhere 'blepera background' and its like do the same, and 'blepera status'
        shows what is on the air.

        With --virtual no Bluetooth is needed: the phone is on a virtual radio of its
        own, with a central that shows what it hears, connects, reads and subscribes,
        and comes back when that has changed; c has it come back now.

          blepera serve --virtual profiles/heart-rate.plist

        The exit status is 0 after Ctrl-C, and 1 if a profile has an error or the radio
        cannot be used; 'blepera doctor' says more about the radio.

        USAGE: blepera serve [<options>] <file> ...

        ARGUMENTS:
          <file>                  The profiles, XML or binary property lists.

        OPTIONS:
          --foreground/--background
                                  How the apps start: in front, or as ones that
                                  advertised there and then left. (default:
                                  --foreground)
          --system <name>         The name of the phone, where several run side by
                                  side. (default: default)
          --virtual               Serve on a virtual radio of its own, with a central
                                  that shows what it sees.
          --ios <version>         The iOS whose rules hold; 26 where nothing is said.
                                  (values: 11, 13, 14, 18, 26)
          --adapter <hciN>        The adapter to be used; by default the first that is
                                  powered on.
          --power-on              Power the adapter on when it appears.
          --pairing <mode>        The answer to a central that wants to pair,
                                  just-works where nothing is said; passkey shows six
                                  digits to enter at the central. (values: just-works,
                                  refuse, passkey)
          --linger <minutes>      Minutes that the phone stays for what is preserved,
                                  once no app runs; 10 where nothing is said.
          --disconnect-stale <seconds>
                                  Disconnect a central that was subscribed before the
                                  phone was started anew, is connected, and has not
                                  subscribed again within that time.
          --json                  Print each event as a JSON object on one line.
          --record <file>         Write the event trace to a file, for 'blepera replay'.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `lab says what it sets up and how it ends`() {
    #expect(
      Blepera.helpMessage(for: LabCommand.self, columns: 80) == """
        OVERVIEW: Run a command on a virtual radio with phones, without hardware.

        Starts a message bus of its own with a virtual BlueZ on it, and phones that
        serve profiles there. Once they are on the air it runs the command, which finds
        all of it where DBUS_SYSTEM_BUS_ADDRESS points: a scan, a gateway, its tests.
        The command's own adapter is hci0, the phones' are those that follow it. Events
        of the phones go to standard error. A phone is named after its bundle
        identifier's last part; 'blepera background --system NAME' and its like reach
        it from within the lab, and the names are in BLEPERA_PHONES. Without a command
        it prints the settings for other terminals and stays until Ctrl-C.

          blepera lab --serve profiles/heart-rate.plist -- bluetoothctl
          blepera lab --serve profiles/heart-rate.plist -- pytest

        The exit status is the command's: 128 and the signal's number if a signal ended
        it, 127 if it is not found. It is 1 if a profile has an error or the lab cannot
        be set up. Nothing is left behind, however it ends.

        USAGE: blepera lab [<options>] [-- <command> ...]

        ARGUMENTS:
          <command>               What to run, after '--'.

        OPTIONS:
          --serve <file>          A profile for a phone of its own; may be given
                                  several times.
          --foreground/--background
                                  How the apps start: in front, or as ones that
                                  advertised there and then left. (default:
                                  --foreground)
          --ios <version>         The iOS whose rules hold. (values: 11, 13, 14, 18,
                                  26; default: 26)
          --adapters <number>     How many adapters are the command's own, hci0 first.
                                  (default: 1)
          --bluez-version <version>
                                  The BlueZ to behave as. (values: 5.66, 5.82; default:
                                  5.66)
          --experimental          Behave as bluetoothd -E does, which heeds intervals
                                  in 5.66 too.
          --loss <percent>        How much of what is sent gets lost, 0 to 100.
                                  (default: 0.0)
          --rssi <dBm>            The signal strength at every receiver, -127 to 20.
                                  (default: -50)
          --seed <number>         What chance is drawn from; the same gives the same.
                                  (default: 0)
          --json                  Print each event as a JSON object on one line.
          --quiet                 Print no events.
          --record <file>         Write the event trace to a file, for 'blepera replay'.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `check says what a fault looks like`() {
    #expect(
      Blepera.helpMessage(for: CheckCommand.self, columns: 80) == """
        OVERVIEW: Look for faults in profiles, without a radio.

        Each fault is a line in the form that compilers use:

          FILE:LINE:COLUMN: error: KEY PATH: found ..., expected ...

        In a binary property list the line is 1 and the column counts bytes. The exit
        status is 1 if there is an error in any file, otherwise 0; a warning is no
        error.

        USAGE: blepera check <file> ...

        ARGUMENTS:
          <file>                  A profile, an XML or binary property list.

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `doctor says what its marks mean`() {
    #expect(
      Blepera.helpMessage(for: DoctorCommand.self, columns: 80) == """
        OVERVIEW: Look at this machine's bus, bluetoothd and adapters, and say what to
        mend.

        Each line begins with a mark:

          ok    as it should be
          note  works, with a difference
          FIX   keeps blepera from serving

        The exit status is 1 if there is something to fix, otherwise 0.

        USAGE: blepera doctor [--adapter <hciN>]

        OPTIONS:
          --adapter <hciN>        The adapter to be used; by default the first that is
                                  powered on.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test(
    arguments: [80, 100, 120],
    [
      ServeCommand.self, CheckCommand.self, LabCommand.self, DoctorCommand.self, ExplainCommand.self, RulesCommand.self,
      ScanCommand.self, CloneCommand.self, ReplayCommand.self,
      StatusCommand.self, ForegroundCommand.self,
      BackgroundCommand.self, SuspendCommand.self, LockCommand.self, UnlockCommand.self, BluetoothCommand.self,
    ] as [any ParsableCommand.Type])
  func `no line of help is wider than the terminal`(columns: Int, command: any ParsableCommand.Type) {
    let lines = Blepera.helpMessage(for: command, columns: columns).split(separator: "\n")
    #expect(lines.filter { $0.count > columns } == [])
  }
}
