import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct HelpTests {
  @Test func `blepera says what it is for and where to begin`() {
    #expect(
      Blepera.helpMessage(columns: 80) == """
        OVERVIEW: A Bluetooth LE peripheral that behaves as an iPhone app does.

        blepera publishes the services of property-list profiles, through BlueZ or on a
        virtual radio. Write a profile, serve it without Bluetooth, then look at this
        machine's:

          blepera init heart-rate -o heart.plist
          blepera serve --virtual heart.plist
          blepera doctor

        'blepera help TOPIC' explains profile (the keys of a profile), rules (what an
        iPhone does) and overflow (the overflow area).

        USAGE: blepera <subcommand>

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        PHONE SUBCOMMANDS:
          serve                   Publish the services of profiles and advertise them,
                                  until Ctrl-C.
          system                  Run the emulated phone without apps; apps connect and
                                  disconnect.
          status                  Show the state of a running phone: apps, advertising,
                                  subscribers.
          events                  Print the events of a running phone as they happen,
                                  until it ends or Ctrl-C.
          launch                  Launch apps that were quit or terminated, as the user
                                  does by tapping their icons.
          foreground              Move the apps of a running 'blepera serve' to the
                                  foreground.
          background              Move the apps of a running 'blepera serve' to the
                                  background.
          suspend                 Suspend the apps of a running 'blepera serve' at once.
          lock                    Switch the screen of the emulated phone off.
          unlock                  Switch the screen of the emulated phone on.
          bluetooth               Switch the Bluetooth of the emulated phone on or off,
                                  or reset it.
          notify                  Send an update to the subscribers of a characteristic.
          quit                    Force-quit apps, as the user does by swiping them
                                  away.
          terminate               Terminate apps as the system does when memory is
                                  short.
          reboot                  Reboot the emulated phone: all apps and connections
                                  end.
          shutdown                End the emulated phone; its state stays on disk.
          preserved               Show or remove the preserved state of apps.

        OFFLINE SUBCOMMANDS:
          check                   Check profiles for errors, without a radio.
          init                    Write a commented profile of standard services.
          convert                 Convert a property list to text or XML.
          explain                 Print what an iPhone advertises for profiles and what
                                  BlueZ advertises instead, without a radio.
          rules                   Print the rules of the emulated iPhone with their
                                  values and sources.
          overflow                Compute the overflow area: the bits that an iPhone
                                  advertises in place of UUIDs.

        LABORATORY SUBCOMMANDS:
          lab                     Run a command on a virtual radio with phones, without
                                  hardware.
          scenario                Run scenarios of phones and centrals, and check their
                                  results.
          replay                  Replay a recorded trace against profiles, and report
                                  the first difference.
          report                  Write an HTML page that shows what happened in a
                                  recorded trace.

        CENTRAL SUBCOMMANDS:
          scan                    Scan as an app on an iPhone does, and compare the
                                  results with Android and BlueZ.
          clone                   Connect to a device, read its values, and write a
                                  profile.

        MACHINE SUBCOMMANDS:
          doctor                  Diagnose the message bus, bluetoothd and adapters,
                                  and suggest fixes.

          See 'blepera help <subcommand>' for detailed help.
        """)
  }

  @Test func `serve says what it prints and how it ends`() {
    #expect(
      Blepera.helpMessage(for: ServeCommand.self, columns: 80) == """
        OVERVIEW: Publish the services of profiles and advertise them, until Ctrl-C.

        Each file is an app; together they are the apps of one phone. Prints a line for
        each event: which services were published, which centrals connected, what was
        read and written. In a terminal the keys f, b, s, t and l move the apps to the
        foreground, to the background, suspend and terminate them, and lock or unlock
        the screen; ? lists the keys. From elsewhere, 'blepera background' and similar
        commands do the same, and 'blepera status' shows what is on the air.

        With --virtual no Bluetooth is needed: the phone uses a virtual radio of its
        own, with a central that reports what it discovers, connects, reads, subscribes
        and writes what the behaviors of the profiles wait for, and connects again
        after the advertisement has changed; c connects it now, and w lets it write.

          blepera serve --virtual profiles/heart-rate.plist

        The phone on the virtual radio keeps its address and key, its bonds, and the
        services and subscribers of apps with a restoration identifier, and is restored
        with them when it was killed. --fresh starts without these.

        The exit status is 0 after Ctrl-C, 1 if the radio cannot be used, which
        'blepera doctor' diagnoses, and 2 if a profile has an error.

        USAGE: blepera serve [<options>] <file> ...

        ARGUMENTS:
          <file>                  The profiles, property lists.

        PHONE:
          --ios <version>         The iOS version to emulate (default: 26). (values:
                                  10, 11, 12, 13, 14, 15, 16, 17, 18, 26, 27)
          --phone-kind <kind>     The kind of phone: with Apple's N1, as the iPhone 17,
                                  or earlier (default: earlier). (values: earlier, n1)
          --apple-items <items>   What the phone itself advertises, with or without an
                                  app: nearby-info (the default), handoff, find-my,
                                  several with commas, or none. (values: none,
                                  nearby-info, handoff, find-my)
          --split-view            Allow several apps in the foreground, as on an iPad.
          --wake-time <seconds>   How long an app written against CoreBluetooth runs on
                                  after its last callback has returned (default: 0.5 s,
                                  at most 10).
          --phone-services        Publish an iPhone's own services before those of the
                                  apps.
          --pairing <mode>        The response to a pairing request (default:
                                  just-works); passkey shows six digits to enter at the
                                  central. (values: just-works, refuse, passkey)
          --no-relaunch           Never relaunch an app by itself: the user launches it.
          --keep-environment <name>
                                  An environment variable that the phone keeps for an
                                  app that it starts again, besides PATH, HOME and the
                                  like; may be repeated, or a list with commas.

        PHONE ON BLUEZ:
          --adapter <hciN>        The adapter to use (default: the first that is
                                  powered on).
          --power-on              Power the adapter on when it appears.
          --forget-bonds          At the end, remove from bluetoothd the bonds that
                                  centrals have made with the phone.
          --exact                 Send an iPhone's packets and intervals as they are,
                                  by the kernel; needs CAP_NET_ADMIN.
          --linger <minutes>      Minutes that the phone keeps running for preserved
                                  apps while no app runs (default: 10).
          --disconnect-stale <seconds>
                                  Disconnect a connected central that was subscribed
                                  before the phone restarted and has not subscribed
                                  again within this time.

        VIRTUAL RADIO:
          --public-address        Give phones public addresses, which do not change.
          --mtu <bytes>           The ATT_MTU that phones exchange, 23 to 517 (default:
                                  185).
          --loss <percent>        Packet loss, 0 to 100 (default: 0).
          --rssi <dBm>            Signal strength at every receiver, -127 to 20
                                  (default: -50).
          --seed <number>         Seed for the random number generator; equal seeds
                                  give equal runs.
          --memory-pressure <rate>
                                  How often an hour a suspended app is terminated by
                                  chance, 0 to 3600 (default: 0); --seed decides when
                                  and which.
          --bluez-version <version>
                                  The BlueZ version that programs find (default: 5.66).
                                  (values: 5.66, 5.82)
          --experimental          Programs find a bluetoothd -E, which applies the
                                  advertising intervals of programs in 5.66 too.
          --pcap <file>           Write the packets on the virtual radio to a file, for
                                  Wireshark.

        OPTIONS:
          --foreground/--background
                                  Initial state of the apps: in the foreground, or in
                                  the background after advertising in the foreground.
                                  (default: --foreground)
          --system <name>         The name of the phone, where several run side by
                                  side. (default: default)
          --virtual               Use a virtual radio, with a central that reports what
                                  it discovers.
          --fresh                 With --virtual: remove what the phone of that name
                                  has kept, and start as another phone with nothing.
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

        Starts a message bus of its own with a virtual BlueZ, and phones that serve
        profiles there. Once the phones are on the air, the lab runs the command, which
        finds the bus at DBUS_SYSTEM_BUS_ADDRESS: a scan, a gateway, its tests. The
        command's own adapter is hci0; the adapters of the phones follow. Events of the
        phones are printed to standard error. A phone is named after the last part of
        its bundle identifier; 'blepera background --system NAME' and similar commands
        control it from within the lab, and BLEPERA_PHONES lists the names. Without a
        command the lab prints the settings for other terminals and runs until Ctrl-C.

          blepera lab --quiet --serve profiles/heart-rate.plist -- bluetoothctl
          blepera lab --serve profiles/heart-rate.plist -- python3 gateway.py

        With --app, a phone's app is a program of yours, which the lab starts and ends:
        one that imports CoreBluetooth, or that uses AppLink. The phone is named after
        the program. What the program prints goes to standard error.

          blepera lab --app .build/debug/door-key -- python3 find.py

        The exit status is the command's: 128 plus the signal's number if a signal
        ended it, 127 if it is not found. It is 1 if the lab cannot be set up, and 2 if
        a profile has an error. The lab removes everything that it has started, however
        it ends.

        USAGE: blepera lab [<options>] [-- <command> ...]

        ARGUMENTS:
          <command>               The command to run, after '--'.

        PHONE:
          --ios <version>         The iOS version to emulate (default: 26). (values:
                                  10, 11, 12, 13, 14, 15, 16, 17, 18, 26, 27)
          --phone-kind <kind>     The kind of phone: with Apple's N1, as the iPhone 17,
                                  or earlier (default: earlier). (values: earlier, n1)
          --apple-items <items>   What the phone itself advertises, with or without an
                                  app: nearby-info (the default), handoff, find-my,
                                  several with commas, or none. (values: none,
                                  nearby-info, handoff, find-my)
          --split-view            Allow several apps in the foreground, as on an iPad.
          --wake-time <seconds>   How long an app written against CoreBluetooth runs on
                                  after its last callback has returned (default: 0.5 s,
                                  at most 10).
          --phone-services        Publish an iPhone's own services before those of the
                                  apps.
          --pairing <mode>        The response to a pairing request (default:
                                  just-works); passkey shows six digits to enter at the
                                  central. (values: just-works, refuse, passkey)
          --no-relaunch           Never relaunch an app by itself: the user launches it.
          --keep-environment <name>
                                  An environment variable that the phone keeps for an
                                  app that it starts again, besides PATH, HOME and the
                                  like; may be repeated, or a list with commas.

        VIRTUAL RADIO:
          --public-address        Give phones public addresses, which do not change.
          --mtu <bytes>           The ATT_MTU that phones exchange, 23 to 517 (default:
                                  185).
          --loss <percent>        Packet loss, 0 to 100 (default: 0).
          --rssi <dBm>            Signal strength at every receiver, -127 to 20
                                  (default: -50).
          --seed <number>         Seed for the random number generator; equal seeds
                                  give equal runs.
          --memory-pressure <rate>
                                  How often an hour a suspended app is terminated by
                                  chance, 0 to 3600 (default: 0); --seed decides when
                                  and which.
          --bluez-version <version>
                                  The BlueZ version that programs find (default: 5.66).
                                  (values: 5.66, 5.82)
          --experimental          Programs find a bluetoothd -E, which applies the
                                  advertising intervals of programs in 5.66 too.
          --pcap <file>           Write the packets on the virtual radio to a file, for
                                  Wireshark.

        OPTIONS:
          --serve <file>          A profile for a phone of its own; may be repeated.
          --app <command>         A command that is an app, such as a program with
                                  CoreBluetooth, for a phone of its own; may be
                                  repeated.
          --foreground/--background
                                  Initial state of the apps: in the foreground, or in
                                  the background after advertising in the foreground.
                                  (default: --foreground)
          --adapters <number>     The number of adapters for the command, hci0 first.
                                  (default: 1)
          --json                  Print each event as a JSON object on one line.
          --quiet                 Print no events.
          --record <file>         Write the event trace to a file, for 'blepera replay'.
          --report <file>         Write an HTML page that shows what happened; see
                                  'blepera help report'.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `check says what a fault looks like`() {
    #expect(
      Blepera.helpMessage(for: CheckCommand.self, columns: 80) == """
        OVERVIEW: Check profiles for errors, without a radio.

        Each diagnostic is a line in the form that compilers use:

          FILE:LINE:COLUMN: error: KEY PATH: found ..., expected ...

        In a binary property list the line is 1 and the column counts bytes. The exit
        status is 2 if any file has an error, otherwise 0; warnings do not count.

        USAGE: blepera check <file> ... [--json]

        ARGUMENTS:
          <file>                  A profile, a property list.

        OPTIONS:
          --json                  Print a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `doctor says what its marks mean`() {
    #expect(
      Blepera.helpMessage(for: DoctorCommand.self, columns: 80) == """
        OVERVIEW: Diagnose the message bus, bluetoothd and adapters, and suggest fixes.

        Each line begins with the severity of a finding:

          ok    no problem
          note  works, with a limitation
          FIX   prevents blepera from serving

        The limitations of the running bluetoothd follow: what happens in place of what
        an iPhone does.

        The exit status is 1 if there is something to fix, otherwise 0.

        USAGE: blepera doctor [--adapter <hciN>] [--json]

        OPTIONS:
          --adapter <hciN>        The adapter to use (default: the first that is
                                  powered on).
          --json                  Print a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test(
    arguments: [80, 100, 120],
    [
      ServeCommand.self, CheckCommand.self, ConvertCommand.self, InitCommand.self, LabCommand.self, DoctorCommand.self,
      ExplainCommand.self, RulesCommand.self,
      ScanCommand.self, CloneCommand.self, ReplayCommand.self,
      StatusCommand.self, ForegroundCommand.self,
      BackgroundCommand.self, SuspendCommand.self, LockCommand.self, UnlockCommand.self, BluetoothCommand.self,
    ] as [any ParsableCommand.Type])
  func `no line of help is wider than the terminal`(columns: Int, command: any ParsableCommand.Type) {
    let lines = Blepera.helpMessage(for: command, columns: columns).split(separator: "\n")
    #expect(lines.filter { $0.count > columns } == [])
  }
}
