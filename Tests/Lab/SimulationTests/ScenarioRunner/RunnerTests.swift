import BleperaAppLink
import BleperaBluetooth
import BleperaPhone
import BleperaPropertyLists
import BleperaRules
import Synchronization
import Testing

@testable import BleperaProfile
@testable import BleperaSimulation

/// Scenarios of a sensor, `1815`, and their failures.
@Suite struct RunnerTests {
  private static let service = BluetoothUUID(0x1815 as UInt16)
  private static let input = BluetoothUUID(0x2A56 as UInt16)

  private static func profile(restores: Bool = true) -> Profile {
    Profile(
      bundleIdentifier: "org.example.sensor", backgroundModes: [Profile.peripheralBackgroundMode],
      restoreIdentifier: restores ? "sensor" : nil,
      advertisement: AdvertisementData(localName: "Sensor", serviceUUIDs: [service]),
      services: [
        Profile.Service(
          uuid: service,
          characteristics: [
            Profile.Characteristic(
              definition: CharacteristicDefinition(
                uuid: input, properties: [.read, .write, .notify], permissions: [.readable, .writeable]),
              behavior: .echo(Echo(initialValue: [7])))
          ])
      ])
  }

  private static func play(
    _ actions: [Scenario.Step.Action], central kind: Scenario.Central.Kind = .plain,
    at place: Scenario.Central.Place = .foreground, restores: Bool = true, phoneServices: Bool = false, mtu: Int? = nil
  ) async -> ScenarioResult {
    var scenario = Scenario()
    scenario.phones = [
      Scenario.Phone(
        name: "phone",
        apps: [Scenario.App(name: "sensor", profile: profile(restores: restores), fallbackName: "sensor")])
    ]
    scenario.phones[0].settings.phoneServices = phoneServices
    scenario.centrals = [Scenario.Central(name: "desk", kind: kind, place: place)]
    scenario.centrals[0].mtu = mtu
    scenario.steps = actions.enumerated().map { Scenario.Step(line: $0 + 1, action: $1) }
    return await ShippedScenarios.play(scenario, "test")
  }

  private static func scan(
    _ filter: Scenario.Filter, within seconds: Int = 5,
    expecting expectation: Scenario.ScanExpectation = Scenario.ScanExpectation()
  ) -> Scenario.Step.Action {
    .scan(central: "desk", filter, within: .seconds(seconds), expectation)
  }

  private static func connect(_ expected: Scenario.LinkExpectation = .init()) -> Scenario.Step.Action {
    .connect(central: "desk", phone: nil, within: .seconds(30), expected)
  }

  private static func request(_ request: Scenario.Step.Request, _ answer: Scenario.Answer) -> Scenario.Step.Action {
    .request(request, central: "desk", input, answer)
  }

  private static func background(_ phone: String = "phone") -> Scenario.Step.Action {
    .command(.background, phone: phone, app: nil)
  }

  /// Steps of which the last one fails, and the reported failure.
  static let failures: [([Scenario.Step.Action], String)] = [
    (
      [.serve(app: "sensor"), scan(Scenario.Filter(localName: "Senser"))],
      "found phone with the local name \"Sensor\" and the service UUIDs 1815; "
        + "expected to find the local name \"Senser\" within 5 s"
    ),
    (
      [
        .serve(app: "sensor"),
        scan(
          Scenario.Filter(), expecting: Scenario.ScanExpectation(localName: .exactly("A"), overflowUUIDs: [service])),
      ],
      "found phone with the local name \"Sensor\" and the service UUIDs 1815; "
        + "expected the local name \"A\", expected 1815 in the overflow area"
    ),
    (
      [scan(Scenario.Filter(serviceUUID: service))],
      "found phone without an app's advertisement; expected to find the service 1815 within 5 s"
    ),
    (
      [.command(.bluetoothOff, phone: "phone", app: nil), scan(Scenario.Filter(serviceUUID: service))],
      "found nothing; expected to find the service 1815 within 5 s"
    ),
    (
      [.serve(app: "sensor"), connect(Scenario.LinkExpectation(missingServices: [service]))],
      "connected to phone, with the services 1800, 1801 and 1815; expected not to find 1815"
    ),
    (
      [.command(.bluetoothOff, phone: "phone", app: nil), connect()],
      "no connection to phone; expected one within 30 s"
    ),
    ([.serve(app: "sensor"), connect(), request(.read, .value([8]))], "read 07; expected 08"),
    (
      [.serve(app: "sensor"), connect(), request(.read, .error(.unlikelyError))],
      "read 07; expected the ATT error 0x0E unlikelyError"
    ),
    ([.serve(app: "sensor"), request(.read, .done)], "not connected; expected a value"),
    (
      [
        .serve(app: "sensor"), connect(), request(.subscribe, .done), request(.write([1]), .done),
        .receive(central: "desk", input, within: .seconds(5), value: [2], isExpected: true),
      ],
      "received 01; expected 02 within 5 s"
    ),
    (
      [
        .serve(app: "sensor"), .inspect(app: "sensor", within: .seconds(1), Scenario.AppExpectation(state: .suspended)),
      ],
      "the app is foreground; expected suspended"
    ),
    ([.crash(app: "sensor")], "the app sensor was never served; a step serve has to come first"),
  ]

  @Test(arguments: failures.indices)
  func `a step that fails reports what happened and what was expected`(index: Int) async {
    let (actions, expected) = Self.failures[index]
    let result = await Self.play(actions)
    #expect(result.steps.dropLast().allSatisfy { $0.outcome == .passed })
    #expect(result.steps.last?.failure == expected)
    #expect(result.steps.last?.trace.contains { $0.contains("scenario  step \(actions.count): ") } == true)
  }

  @Test func `steps after a failed step are skipped`() async {
    let result = await Self.play([Self.request(.read, .done), .serve(app: "sensor")])
    #expect(result.steps.map(\.outcome) == [.failed("not connected; expected a value"), .skipped])
    #expect(!result.hasPassed)
  }

  @Test func `a defect is played, and is a case of JUnit's XML`() async {
    let actions = [true, false].map { isOn -> Scenario.Step.Action in
      var fault = Scenario.Step.Fault()
      fault.event = .defect(.parameterStorm, phone: "phone", isOn: isOn)
      return .fault(fault)
    }
    let result = await Self.play(actions)
    #expect(result.hasPassed)
    for state in ["1. defect parameter-storm of phone on", "2. defect parameter-storm of phone off"] {
      #expect(JUnitReport([result]).document.contains("name=\"\(state)\""))
    }
  }

  @Test func `without a restoration identifier a terminated app is forgotten`() async {
    let result = await Self.play(
      [
        .serve(app: "sensor"), Self.connect(), .command(.terminate, phone: "phone", app: nil),
        .check(central: "desk", within: .seconds(5), Scenario.LinkExpectation(missingServices: [Self.service])),
        Self.request(.read, .missing),
      ], restores: false)
    #expect(result.steps.allSatisfy { $0.outcome == .passed }, "\(result.steps)")
  }

  @Test func `a subscriber does not notice a crash`() async {
    let result = await Self.play([
      .serve(app: "sensor"), Self.connect(), Self.request(.subscribe, .done), .crash(app: "sensor"),
      .wait(.seconds(60), real: .zero),
      Self.request(.write([9]), .done),
      .receive(central: "desk", Self.input, within: .seconds(5), value: [9], isExpected: true),
      .inspect(
        app: "sensor", within: .seconds(1), Scenario.AppExpectation(launches: 2, restoredSubscribers: ["desk"])),
    ])
    #expect(result.steps.allSatisfy { $0.outcome == .passed }, "\(result.steps)")
  }

  @Test func `after a reboot a central finds nothing before the first unlock`() async {
    let result = await Self.play([
      .serve(app: "sensor"), Self.connect(), .command(.reboot, phone: "phone", app: nil),
      .check(central: "desk", within: .seconds(5), Scenario.LinkExpectation(isConnected: false)),
      Self.scan(Scenario.Filter(), expecting: Scenario.ScanExpectation(isExpected: false)),
      .command(.unlock, phone: "phone", app: nil),
      Self.scan(Scenario.Filter(overflowUUID: Self.service)),
    ])
    #expect(result.steps.allSatisfy { $0.outcome == .passed }, "\(result.steps)")
  }

  /// The state of a scanning iPhone app, its services, and whether it discovers a phone in the background.
  @Test(
    arguments: [
      (Scenario.Central.Place.foreground, [service], true), (.foreground, [BluetoothUUID(0x1816 as UInt16)], false),
      // The overflow area is in the scan response, for which an app in the background asks while the screen is on.
      (.background, [service], true), (.background, [], false), (.screenOff, [service], false),
    ])
  func `an app on an iPhone discovers what its system reports`(
    place: Scenario.Central.Place, services: [BluetoothUUID], isFound: Bool
  ) async {
    let expected =
      isFound ? Scenario.ScanExpectation(overflowUUIDs: [Self.service]) : Scenario.ScanExpectation(isExpected: false)
    let result = await Self.play(
      [
        .serve(app: "sensor"), Self.background(),
        Self.scan(Scenario.Filter(services: services), within: 60, expecting: expected),
      ],
      central: .iOS, at: place)
    #expect(result.steps.allSatisfy { $0.outcome == .passed }, "\(result.steps)")
  }

  @Test func `a phone is recognized under its next private address, and connected to`() async {
    var (filter, scan, link) = (Scenario.Filter(), Scenario.ScanExpectation(), Scenario.LinkExpectation())
    (filter.phone, scan.phone, link.phone) = ("phone", "phone", "phone")
    let result = await Self.play([
      .serve(app: "sensor"), Self.scan(Scenario.Filter(), expecting: scan), .wait(.seconds(1000), real: .zero),
      Self.scan(filter, expecting: scan), Self.connect(), .wait(.seconds(1000), real: .zero),
      .check(central: "desk", within: .seconds(1), link),
    ])
    #expect(result.steps.allSatisfy { $0.outcome == .passed }, "\(result.steps)")
  }

  @Test func `nothing is discovered while all advertisements are lost`() async {
    let result = await Self.play([
      .serve(app: "sensor"), .fault(.init(loss: 1)),
      Self.scan(Scenario.Filter(), expecting: Scenario.ScanExpectation(isExpected: false)),
      .fault(.init(loss: 0)), Self.scan(Scenario.Filter()),
    ])
    #expect(result.steps.allSatisfy { $0.outcome == .passed }, "\(result.steps)")
  }

  @Test(arguments: [false, true])
  func `a phone may publish its own services too`(phoneServices: Bool) async {
    let own = [ServiceDefinition.continuity, ServiceDefinition.nearby]
    var expected = Scenario.LinkExpectation()
    if phoneServices { expected.services = own + [Self.service] } else { expected.missingServices = own }
    let result = await Self.play([.serve(app: "sensor"), Self.connect(expected)], phoneServices: phoneServices)
    #expect(result.steps.allSatisfy { $0.outcome == .passed }, "\(result.steps)")
  }

  @Test func `the same scenario runs the same way every time`() async throws {
    let scenario = try ShippedScenarios.scenario("killed-overnight")
    var runner = ScenarioRunner(scenario)
    _ = await runner.run(file: "a")
    let first = runner.air.trace
    var again = ScenarioRunner(scenario)
    _ = await again.run(file: "a")
    #expect(again.air.trace == first)
    #expect(first.count > 30)
  }

  private static func fault(_ event: Scenario.Step.Fault.Event) -> Scenario.Step.Action {
    var fault = Scenario.Step.Fault()
    fault.event = event
    return .fault(fault)
  }

  @Test func `a dropped link and a stopped bluetoothd disconnect the central`() async {
    let disconnected = Scenario.LinkExpectation(isConnected: false)
    let result = await Self.play([
      .serve(app: "sensor"), Self.connect(), Self.fault(.link(.dropLink, central: "desk", phone: "phone")),
      .check(central: "desk", within: .seconds(1), disconnected), Self.connect(), Self.request(.read, .value([7])),
      Self.fault(.machine(.stopBluetoothd, phone: "phone")), .check(central: "desk", within: .seconds(1), disconnected),
      Self.fault(.machine(.startBluetoothd, phone: "phone")), Self.connect(), Self.request(.read, .value([7])),
    ])
    #expect(result.steps.map(\.outcome) == Array(repeating: .passed, count: 11))
  }

  @Test(arguments: [(29, .value([7])), (31, .notConnected)] as [(Int, Scenario.Answer)])
  func `an app that responds too late loses its central`(seconds: Int, answer: Scenario.Answer) async {
    var slow = Scenario.Step.Fault()
    slow.answer = Scenario.Step.Fault.Answer(delay: .seconds(seconds), app: "sensor")
    let result = await Self.play([
      .serve(app: "sensor"), Self.connect(), .fault(slow), Self.request(.read, answer),
    ])
    #expect(result.steps.map(\.outcome) == Array(repeating: .passed, count: 4))
  }

  @Test(arguments: [22, 518, -1])
  func `an ATT_MTU out of range fails the story`(mtu: Int) {
    let failures = Mutex<[StoryFailure]>([])
    _ = Central(on: Air(on: .virtual) { failure in failures.withLock { $0.append(failure) } }, named: "desk", mtu: mtu)
    #expect(failures.withLock { $0 } == [.central("the ATT_MTU of desk is \(mtu); it must be from 23 to 517")])
  }

  @Test func `a central has the ATT_MTU of the scenario`() async {
    let value = [UInt8](repeating: 1, count: 100)
    for (mtu, pieces) in [(nil, 0), (23, 6)] as [(Int?, Int)] {
      let result = await Self.play(
        [.serve(app: "sensor"), Self.connect(), Self.request(.write(value), .done), Self.request(.read, .value([]))],
        mtu: mtu)
      #expect(result.steps.last?.trace.filter { $0.contains("(piece ") }.count == pieces)
    }
  }
}
