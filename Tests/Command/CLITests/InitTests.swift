import ArgumentParser
import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import Testing

@testable import BleperaCLI

@Suite struct InitTests {
  private static let published = StandardService.all.filter { !$0.isRefused }

  @Test(arguments: published.map(\.name))
  func `each service makes a profile without errors and warnings`(name: String) throws {
    for runsInBackground in [true, false] {
      let new = NewProfile(try InitCommand.services(named: [name]), runsInBackground: runsInBackground)
      let check = Profile.check(Array(new.text.utf8), file: "f")
      #expect(check.diagnostics.map(\.description) == [])
      let profile = try #require(check.profile)
      #expect(profile.services.map(\.uuid.description) == new.services.map(\.uuid))
      #expect(profile.advertisement?.serviceUUIDs == profile.services.map(\.uuid))
      #expect(profile.backgroundModes == (runsInBackground ? ["bluetooth-peripheral"] : []) && new.notes == [])
      #expect((profile.restoreIdentifier != nil) == runsInBackground)
    }
  }

  @Test func `any two services make one too`() throws {
    for first in Self.published {
      for second in StandardService.all {
        let names = [first.name, second.name]
        let check = Profile.check(Array(NewProfile(try InitCommand.services(named: names)).text.utf8), file: "f")
        #expect(check.diagnostics.map(\.description) == [], "\(names)")
      }
    }
  }

  @Test func `what Core Bluetooth refuses is left out, with a note`() throws {
    let new = NewProfile(try InitCommand.services(named: ["heart-rate", "battery"]))
    #expect(new.services.map(\.name) == ["heart-rate"])
    #expect(
      new.notes == [
        "Battery (180F) is left out: iOS publishes its own, and Core Bluetooth refuses an app's. "
          + "'blepera serve --phone-services' publishes the phone's."
      ])
    #expect(StandardService.all.filter(\.isRefused).map(\.name) == ["battery", "current-time", "device-information"])
  }

  @Test(arguments: StandardService.all.map(\.name), [nil, "Strap"])
  func `each service makes a central, too`(name: String, peripheral: String?) throws {
    for runsInBackground in [true, false] {
      let services = try InitCommand.services(named: [name, "heart-rate"])
      let text = NewCentral(services: services, name: peripheral, runsInBackground: runsInBackground).text
      let check = Profile.check(Array(text.utf8), file: "f")
      #expect(check.diagnostics.map(\.description) == [])
      let central = try #require(check.profile?.central)
      #expect(central.scan.services.map(\.description) == services.map(\.uuid))
      #expect(central.connection?.name == peripheral)
      #expect(
        central.characteristics.map(\.characteristic.description) == services.flatMap(\.characteristics).map(\.uuid))
      #expect(check.profile?.backgroundModes == (runsInBackground ? ["bluetooth-central"] : []))
      #expect((central.restoreIdentifier != nil) == runsInBackground)
    }
  }

  @Test func `the profile of a central is commented`() throws {
    let services = try InitCommand.services(named: ["heart-rate", "immediate-alert"])
    #expect(
      NewCentral(services: services).text == """
        // A central of Heart Rate (180D) and Immediate Alert (1802), by blepera init.
        {
          CFBundleIdentifier = org.example.heart-rate-central;
          CFBundleName = "Heart Central";
          // Discoveries, connections and notifications wake the app.
          UIBackgroundModes = (bluetooth-central);
          BLECentral = {
            // iOS keeps scan and connections, and launches the app again under this name.
            RestoreIdentifier = heart-rate-central; ScanServices = (180D, 1802);
            // To the first peripheral, and again after a loss.
            Connect = {};
            // Used in this order after each connection.
            Characteristics = (
              {
                // Heart Rate Measurement: flags (one byte, skin contact), then beats a minute
                Service = 180D; UUID = 2A37; Subscribe = YES;
              },
              {
                // Body Sensor Location
                Service = 180D; UUID = 2A38; Read = YES;
              },
              {
                // Alert Level: 0 no alert, 1 mild, 2 high
                Service = 1802; UUID = 2A06; Write = <01>; WithoutResponse = YES;
              }
            );
          };
        }

        """)
  }

  @Test func `every UUID has a name, and every name its service`() {
    for service in StandardService.all { #expect(StandardService.named(service.name)?.uuid == service.uuid) }
    #expect(StandardService.all.map(\.name) == StandardService.all.map(\.name).sorted())
  }

  @Test func `an unknown service is refused, with the nearest name`() {
    #expect(throws: (any Error).self) { try InitCommand.parse(["heartrate"]) }
    do {
      _ = try InitCommand.services(named: ["hart-rate"])
      Issue.record("no error")
    } catch {
      #expect(error.message.contains("Did you mean 'heart-rate'?"))
    }
  }

  @Test func `the profile is commented and fits the page`() throws {
    #expect(
      NewProfile(try InitCommand.services(named: ["heart-rate"])).text == """
        // Heart Rate (180D), by blepera init.
        {
          CFBundleIdentifier = org.example.heart-rate;
          CFBundleName = Heart;
          // The app runs on in the background.
          UIBackgroundModes = (bluetooth-peripheral);
          BLEPeripheral = {
            // iOS preserves the app's services and launches it again under this name.
            RestoreIdentifier = heart-rate; Advertisement = { LocalName = Heart; ServiceUUIDs = (180D); };
            Services = ({
              // Heart Rate
              UUID = 180D;
              Characteristics = (
                {
                  // Heart Rate Measurement: flags (one byte, skin contact), then beats a minute
                  UUID = 2A37; Properties = (notify); Permissions = (readable);
                  Behavior = {
                    Kind = sine; Format = uint8; Minimum = 60; Maximum = 100; Period = 30; Interval = 1; Prefix = <06>;
                  };
                },
                {
                  // Body Sensor Location: chest
                  UUID = 2A38; Properties = (read); Permissions = (readable); Value = <01>;
                }
              );
            });
          };
        }

        """)
  }
}
