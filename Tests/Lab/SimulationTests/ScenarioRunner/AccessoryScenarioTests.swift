import BleperaPropertyLists
import BleperaSimulation
import TestSupport
import Testing

@Suite("Scenarios with accessories")
struct AccessoryScenarioTests {
  private static func check(_ text: String) -> ScenarioCheck {
    Scenario.check(Array(text.utf8), file: "scenarios/f.plist") { path in
      do { return .success(try ProjectFile.bytes(path)) } catch {
        return .failure(UnreadableProfile(reason: "\(error)"))
      }
    }
  }

  private static func play(_ content: String) async throws -> ScenarioResult {
    let check = check("{ Title = Strap; Centrals = ({ Name = desk; }); \(content) }")
    return await ShippedScenarios.play(try #require(check.scenario, "\(check.diagnostics)"), "test")
  }

  @Test("A central finds an accessory beside a phone, uses it and loses it")
  func use() async throws {
    let result = try await Self.play(
      """
      Phones = ({ Name = phone; Apps = ({ Name = heart; Profile = "../profiles/heart-rate.plist"; }); });
      Accessories = ({ Name = strap; Profile = "../profiles/accessories/heart-strap.plist"; });
      Steps = (
        { Do = serve; },
        { Do = scan; LookFor = { Phone = strap; }; Expect = { LocalName = "HR Strap"; ServiceUUIDs = (180D); }; },
        { Do = connect; Expect = { Phone = strap; ServiceUUIDs = (180D, 180F); }; },
        { Do = read; Characteristic = 2A38; Expect = { Value = <01>; }; },
        { Do = write; Characteristic = 2A39; Value = <01>; },
        { Do = pair; },
        { Do = subscribe; Characteristic = 2A37; },
        { Do = receive; Characteristic = 2A37; Within = 2; },
        { Do = scan; LookFor = { Phone = strap; }; Within = 2; Expect = { Found = NO; }; },
        { Do = scan; LookFor = { ServiceUUID = 180D; }; Expect = { Phone = phone; }; },
        { Do = fault; What = dropLink; Phone = strap; },
        { Do = check; Expect = { Connected = NO; }; },
        { Do = scan; LookFor = { Phone = strap; }; Within = 2; },
        { Do = bluetooth; Phone = strap; Power = off; },
        { Do = scan; LookFor = { Phone = strap; }; Within = 2; Expect = { Found = NO; }; }
      );
      """)
    #expect(result.steps.map(\.outcome).allSatisfy { $0 == .passed }, "\(result.steps)")
  }

  @Test("A phone forgets a central, and an accessory all; nobody is forgotten twice")
  func forget() async throws {
    let result = try await Self.play(
      """
      Phones = ({ Name = phone; Apps = ({ Name = lock; Profile = "../profiles/smart-lock.plist"; }); });
      Accessories = ({ Name = strap; Profile = "../profiles/accessories/heart-strap.plist"; });
      Steps = (
        { Do = serve; },
        { Do = connect; Phone = phone; },
        { Do = pair; },
        { Do = wait; Seconds = 1; },
        { Do = forget; Phone = phone; Device = desk; },
        { Do = check; Expect = { Connected = NO; }; },
        { Do = connect; Phone = strap; },
        { Do = pair; },
        { Do = wait; Seconds = 1; },
        { Do = forget; Phone = strap; },
        { Do = forget; Phone = phone; Device = desk; }
      );
      """)
    #expect(result.steps.dropLast().map(\.outcome).allSatisfy { $0 == .passed }, "\(result.steps)")
    guard case .broken(let reason)? = result.steps.last?.outcome else {
      Issue.record("\(result.steps)")
      return
    }
    #expect(reason.contains("no bond with"))
  }

  @Test("The user answers a pairing with an accessory that compares, once")
  func answer() async throws {
    let (service, command, state) = (
      "C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01", "C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A02",
      "C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A03"
    )
    let result = try await Self.play(
      """
      Phones = ({
        Name = phone; Pairing = compare; Apps = ({ Name = remote; Profile = "../profiles/lock-remote.plist"; });
      });
      Accessories = ({ Name = lock; Profile = {
        Name = Lock; Pairing = numeric-comparison;
        Advertisement = { LocalName = Lock; ServiceUUIDs = (\(service)); };
        Services = ({ UUID = \(service); Characteristics = (
          { UUID = \(command); Properties = (write); Permissions = (writeEncryptionRequired); },
          { UUID = \(state); Properties = (read, notify); Permissions = (readable);
            Behavior = { Kind = echo; Source = \(command); InitialValue = <00>; }; }
        ); });
      }; });
      Steps = (
        { Do = serve; },
        { Do = wait; Seconds = 10; },
        { Do = answer; Response = yes; },
        { Do = inspect; App = remote; Expect = { Value = <01>; }; },
        { Do = answer; Response = yes; }
      );
      """)
    #expect(result.steps.dropLast().map(\.outcome).allSatisfy { $0 == .passed }, "\(result.steps)")
    guard case .broken(let reason)? = result.steps.last?.outcome else {
      Issue.record("\(result.steps)")
      return
    }
    #expect(reason.contains("no pairing waits for the phone's user"))
  }

  @Test(
    "A response is yes, no or six digits", arguments: [("yes", true), ("no", true), ("004711", true), ("4711", false)])
  func response(word: String, isValid: Bool) {
    let check = Self.check(
      """
      { Title = Pairing; Centrals = ({ Name = desk; });
        Phones = ({ Name = phone; Apps = ({ Name = heart; Profile = "../profiles/heart-rate.plist"; }); });
        Steps = ({ Do = answer; Response = "\(word)"; }); }
      """)
    #expect((check.scenario != nil) == isValid)
    #expect(check.diagnostics.contains { "\($0)".contains("expected yes, no or six digits") } == !isValid)
  }

  @Test(
    "What an app has received as a central is inspected",
    arguments: [
      (#"Discovered = (strap, strap)"#, "discovered: strap; expected strap, strap"),
      (#"Value = "06 50""#, "the app has received 01; expected 06 50"),
      (#"Alerts = ("connected: HR Strap")"#, "alerts: none; expected connected: HR Strap"),
      ("Discovered = (strap); Value = 01; Alerts = ()", nil),
    ])
  func reception(expected: String, failure: String?) async throws {
    let result = try await Self.play(
      """
      Phones = ({
        Name = phone;
        Apps = ({
          Name = watch;
          Profile = {
            BLECentral = {
              ScanServices = (180D); Connect = {}; Characteristics = ({ Service = 180D; UUID = 2A38; Read = YES; });
            };
          };
        });
      });
      Accessories = ({ Name = strap; Profile = "../profiles/accessories/heart-strap.plist"; });
      Steps = (
        { Do = serve; }, { Do = wait; Seconds = 3; }, { Do = inspect; Within = 0.1; Expect = { \(expected); }; }
      );
      """)
    #expect(result.steps.last?.failure == failure)
  }

  @Test("The only device needs no name, and may be described in place")
  func only() async throws {
    let result = try await Self.play(
      """
      Accessories = ({ Name = beacon; Profile = { Name = B; Advertisement = { LocalName = B; Interval = 20; }; }; });
      Steps = (
        { Do = scan; LookFor = { LocalName = B; }; Within = 1; },
        { Do = connect; Within = 5; Expect = { Connected = NO; }; },
        { Do = bluetooth; Power = off; },
        { Do = scan; Within = 1; Expect = { Found = NO; }; },
        { Do = bluetooth; Power = on; },
        { Do = scan; Within = 1; }
      );
      """)
    #expect(result.steps.map(\.outcome).allSatisfy { $0 == .passed }, "\(result.steps)")
  }

  @Test(
    "Faults are reported at their places",
    arguments: [
      ("Accessories = ({ Name = a; Profile = \"⟦none.plist\"; });", "none.plist"),
      (
        "Accessories = ({ Name = a; Profile = { Name = B; Advertisement = { Interval = ⟦1; }; }; });",
        "Accessories[0].Profile.Advertisement.Interval: found 1"
      ),
      (
        "Accessories = ({ Name = a; Profile = ⟦{ Title = A; Steps = (); }; });",
        "found a scenario, expected an accessory or a profile"
      ),
    ])
  func faults(_ accessories: String, _ text: String) {
    let marked = Marked("{ Title = A; Centrals = ({ Name = c; }); \(accessories) Steps = ({ Do = scan; }); }")
    let check = Self.check(String(decoding: marked.bytes, as: UTF8.self))
    #expect(check.diagnostics.map { "\($0.line):\($0.column)" } == marked.places, "\(check.diagnostics)")
    #expect(check.diagnostics.first?.description.contains(text) == true, "\(check.diagnostics)")
  }

  @Test("What an accessory cannot do is a fault")
  func refused() {
    let check = Self.check(
      """
      { Title = A; Accessories = ({ Name = a; Profile = "../profiles/accessories/heart-strap.plist"; }); Steps = (
        { Do = bluetooth; Power = reset; },
        { Do = lock; Phone = a; }
      ); }
      """)
    let texts = check.diagnostics.map(\.description)
    #expect(texts.count == 2 && texts[0].contains("reset of a, an accessory"), "\(texts)")
    #expect(texts.last?.contains("expected a phone; the scenario has none") == true, "\(texts)")
  }
}
