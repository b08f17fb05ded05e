import BleperaBluetooth
import BleperaPropertyLists
import Testing

@testable import BleperaProfile

/// The keys of the central role; each marker is where a diagnostic must point.
@Suite struct CentralRulesTests {
  private static func central(_ content: String, modes: String = "") -> String {
    "{ \(modes)BLECentral = { \(content) }; }"
  }

  private static func characteristics(_ content: String) -> String {
    central("Connect = {}; Characteristics = (\(content));")
  }

  static let centrals: [(input: String, texts: [String])] = [
    (central(""), []), (central("ScanServices = (180D, 180F); AllowDuplicates = YES; Connect = { All = NO; };"), []),
    (Document.file("<key>BLECentral</key>⟦<array/>"), ["BLECentral: found an array, expected a dictionary"]),
    (
      "⟦{ ⟦BLECentrl = {}; }",
      ["error: found no key BLEPeripheral", "warning: found the key \"BLECentrl\", expected BLECentral; did you mean"]
    ),
    (
      "{ UIBackgroundModes = (⟦bluetooth-centrl); BLECentral = {}; }",
      ["warning: UIBackgroundModes[0]: found \"bluetooth-centrl\", expected bluetooth-central"]
    ),
    (
      "{ UIBackgroundModes = (bluetooth-central); BLECentral = ⟦{}; }",
      ["warning: BLECentral: found a scan for all services with bluetooth-central, expected ScanServices: in the"]
    ),
    ("{ UIBackgroundModes = (bluetooth-central); BLECentral = { SolicitedServices = (180D); }; }", []),
    (central("⟦Services = ();"), ["the unknown key \"Services\", expected RestoreIdentifier, ScanServices"]),
    (central("RestoreIdentifier = \"⟦\";"), ["RestoreIdentifier: found an empty string"]),
    (
      central("RestoreIdentifier = ⟦key;", modes: "UIBackgroundModes = (bluetooth-peripheral); "),
      [
        "error: BLECentral.RestoreIdentifier: found UIBackgroundModes without bluetooth-central, expected the mode, or no "
          + "RestoreIdentifier: iOS ends the app"
      ]
    ),
    (
      central("RestoreIdentifier = key; ScanServices = (180D);", modes: "UIBackgroundModes = (bluetooth-central); "), []
    ),
    (central("ScanServices = ⟦();"), ["ScanServices: found an empty array, expected a UUID, or no key ScanServices"]),
    (central("ScanServices = (180D, ⟦180D);"), ["BLECentral.ScanServices[1]: found 180D a second time"]),
    (central("SolicitedServices = (⟦18XD);"), ["SolicitedServices[0]: found \"18XD\""]),
    (central("AllowDuplicates = ⟦maybe;"), ["found the string \"maybe\", expected YES or NO"]),
    (central("Connect = { Name = \"⟦\"; };"), ["Connect.Name: found an empty string"]),
    (central("Connect = { ⟦Device = a; };"), ["expected Name, Service, All, Reconnect or Options"]),
    (central("Connect = { Options = { StartDelay = ⟦-1; }; };"), ["found -1, expected seconds from 0 to 86400"]),
    (central("Connect = { Options = { ⟦NotifyOnConect = YES; }; };"), ["did you mean 'NotifyOnConnection'?"]),
    (
      central("Characteristics = ⟦({ Service = 180D; UUID = 2A37; Read = YES; });"),
      ["BLECentral.Characteristics: found Characteristics without Connect"]
    ),
    (characteristics("⟦{ UUID = 2A37; Read = YES; }"), ["Characteristics[0]: found no key Service, expected Service"]),
    (
      characteristics("⟦{ Service = 180D; UUID = 2A37; }"),
      ["warning: BLECentral.Characteristics[0]: found a characteristic that is not used, expected Subscribe, Read or"]
    ),
    (characteristics("{ Service = ⟦1812; UUID = 2A4D; Read = YES; }"), ["found 1812, Human Interface Device"]),
    (
      characteristics("{ Service = 180D; UUID = 2A37; Read = YES; }, { Service = 180D; UUID = ⟦2A37; Read = YES; }"),
      ["Characteristics[1].UUID: found 2A37 a second time"]
    ),
    (characteristics("{ Service = 180D; UUID = 2A37; Read = YES; }, { Service = 180F; UUID = 2A37; Read = YES; }"), []),
    (characteristics("{ Service = 180D; UUID = 2A39; Write = ⟦1; }"), ["Write: found \"1\", an odd number of digits"]),
    (
      characteristics("{ Service = 180D; UUID = 2A39; Write = 01; WriteText = ⟦a; }"),
      ["found WriteText as well as Write"]
    ),
  ]

  @Test("The scan, the connection and the characteristics are checked", arguments: centrals)
  func keys(input: String, texts: [String]) { expectDiagnostics(texts, in: input) }

  private static func onValue(_ rows: String) -> String {
    characteristics(
      "{ Service = FE00; UUID = FE01; Subscribe = YES; OnValue = \(rows); }, { Service = FE00; UUID = FE02; Read = YES; }"
    )
  }

  static let reactions: [(input: String, texts: [String])] = [
    (onValue("({ Value = \"01 {id:1}\"; Then = ({ Characteristic = FE02; Write = \"81 {id}\"; After = 1; }); })"), []),
    (onValue("({ Text = \"a*\"; Then = (); }, { Then = ({ WriteText = b; }); })"), []),
    (onValue("⟦()"), ["OnValue: found an empty array"]),
    (onValue("(⟦{ Value = 01; })"), ["OnValue[0]: found no key Then"]),
    (onValue("({ Then = (⟦{ After = 1; }); })"), ["Then[0]: found neither Write nor WriteText"]),
    (onValue("({ Then = ({ After = ⟦-1; Write = 01; }); })"), ["found -1, expected seconds from 0 to 86400"]),
    (
      onValue("({ Then = ({ Characteristic = ⟦FE03; Write = 01; }); })"),
      ["found FE03, which Characteristics does not have, expected FE01 or FE02"]
    ),
    (
      onValue("({ Value = 01; Then = ({ Write = \"⟦{id}\"; }); })"),
      ["found {id}, which the row does not capture, expected no field: Value and Text have none"]
    ),
    (onValue("({ Value = \"⟦hello\"; Then = (); })"), ["the key for text is Text"]),
    (
      onValue("({ Then = (); }, ⟦{ Value = 01; Then = (); })"),
      [
        "warning: BLECentral.Characteristics[0].OnValue[1]: found a response that never applies, expected values that the earlier OnValue[0]"
      ]
    ),
    (
      characteristics("{ Service = FE00; UUID = FE01; Write = 01; OnValue = ⟦({ Then = (); }); }"),
      ["OnValue: found OnValue without Subscribe and Read"]
    ),
  ]

  @Test("What follows a value is checked", arguments: reactions)
  func responses(input: String, texts: [String]) { expectDiagnostics(texts, in: input) }

  @Test("All keys are read")
  func values() throws {
    let profile = try expectProfile(
      """
      {
        UIBackgroundModes = (bluetooth-central);
        BLECentral = {
          RestoreIdentifier = key; ScanServices = (FE00); SolicitedServices = (FE10); AllowDuplicates = YES;
          Connect = {
            Name = Lock; Service = FE00; All = YES; Reconnect = NO;
            Options = {
              NotifyOnConnection = YES; NotifyOnDisconnection = YES; NotifyOnNotification = YES;
              EnableAutoReconnect = YES; StartDelay = 0.5;
            };
          };
          Characteristics = (
            { Service = FE00; UUID = FE01; Subscribe = YES; Read = YES; OnValue = ({ Value = 00; Then = ({ Characteristic = FE02; Write = 01; }); }); },
            { Service = FE00; UUID = FE02; WriteText = hi; WithoutResponse = YES; }
          );
        };
      }
      """)
    let service = BluetoothUUID(0xFE00 as UInt16)
    var connection = Profile.Central.Connection()
    (connection.name, connection.service, connection.isToAll, connection.reconnects) = ("Lock", service, true, false)
    connection.options.notifiesOnConnection = true
    connection.options.notifiesOnDisconnection = true
    connection.options.notifiesOnNotification = true
    connection.options.autoReconnects = true
    connection.options.startDelay = 0.5
    let command = BluetoothUUID(0xFE02 as UInt16)
    var uses = [
      Profile.Central.Use(service: service, characteristic: BluetoothUUID(0xFE01 as UInt16)),
      Profile.Central.Use(service: service, characteristic: command),
    ]
    (uses[0].subscribes, uses[0].reads, uses[1].value, uses[1].withResponse) = (true, true, Array("hi".utf8), false)
    uses[0].reactions = [
      Responses.Row(.exactly([0]), steps: [Responses.Step(characteristic: command, value: ValueTemplate([1]))])
    ]
    #expect(
      profile.central
        == Profile.Central(
          restoreIdentifier: "key",
          scan: ScanRequest(
            services: [service], allowsDuplicates: true, solicitedServices: [BluetoothUUID(0xFE10 as UInt16)]),
          connection: connection, characteristics: uses))
    #expect(profile.services.isEmpty && profile.advertisement == nil)
  }

  @Test("An accessory has no central role")
  func accessory() {
    let text = "{ BLEPeripheral = { Advertisement = { LocalName = a; }; }; BLECentral = {}; }"
    let check = AccessoryDescription.check(Array(text.utf8), file: "f")
    #expect(check.accessory == nil)
    #expect(check.diagnostics.map(\.expected) == ["BLEPeripheral alone: an accessory is no central"])
  }
}
