import BleperaDBus
import Testing

@testable import BleperaBlueZ

@Suite("Registrations with bluetoothd")
struct RegistrationMachineTests {
  @Test("Each event has its actions", arguments: Trace.requests + Trace.adapters + Trace.failures + Trace.successors)
  func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  @Test(
    "The delay of a retry doubles with each failure, up to 5 s",
    arguments: zip(1...10, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000]))
  func backOff(failures: Int, milliseconds: Int) {
    #expect(RegistrationMachine.delay(after: failures) == .milliseconds(milliseconds))
  }

  @Test("The delay of a retry is 5 s after any further failure") func longBackOff() {
    #expect(RegistrationMachine.delay(after: .max) == .seconds(5))
  }

  @Test("Of many applications at most 32 calls are in progress, in order, until all are registered")
  func calls() {
    let all = (1...250).map { Registration.application($0) }
    var machine = RegistrationMachine()
    var calls: [RegistrationMachine.Action] = []
    var most = 0
    func perform(_ event: RegistrationMachine.Event) {
      calls += machine.handle(event).filter { if case .didRegister = $0 { false } else { true } }
      most = max(most, calls.count)
    }
    perform(.targetChanged(.init(adapter: Trace.adapter("hci0"), isPowered: true)))
    for item in all { perform(.add(item)) }
    #expect(calls.count == 32)
    #expect(!machine.isSettled)
    var done: [Registration] = []
    while !calls.isEmpty {
      guard case .register(let item, _, let attempt) = calls.removeFirst() else { break }
      done.append(item)
      perform(.registered(item, attempt))
    }
    #expect(done == all)
    #expect(machine.isSettled)
    for item in all { perform(.remove(item)) }
    done = []
    while !calls.isEmpty {
      guard case .unregister(let item, _, let attempt) = calls.removeFirst() else { break }
      done.append(item)
      calls += machine.handle(.unregistered(item, attempt)).filter { $0 != .didUnregister(item) }
      most = max(most, calls.count)
    }
    #expect(done == all)
    #expect(machine.isSettled)
    #expect(most == 32)
  }

  @Test("How many advertisements bluetoothd has is known between calls alone, and they stay without power")
  func registeredAdvertisements() {
    var machine = RegistrationMachine()
    var counts: [Int?] = []
    let events: [RegistrationMachine.Event] = [
      .targetChanged(.init(adapter: Trace.adapter("hci0"), isPowered: true)),
      .add(.application(0)), .registered(.application(0), 1), .add(.advertisement(0)),
      .registered(.advertisement(0), 2), .refresh(.advertisement(0)), .unregistered(.advertisement(0), 3),
      .registered(.advertisement(0), 4), .targetChanged(.init(adapter: Trace.adapter("hci0"), isPowered: false)),
      .remove(.advertisement(0)), .unregistered(.advertisement(0), 5),
    ]
    for event in events {
      _ = machine.handle(event)
      counts.append(machine.registeredAdvertisements)
    }
    #expect(counts == [0, 0, 0, nil, 1, nil, nil, 1, 1, nil, 0])
  }

  @Test("A target that is lost ends all calls, and the next one receives all applications") func callsOfTwoTargets() {
    var machine = RegistrationMachine()
    for number in 1...40 { _ = machine.handle(.add(.application(number))) }
    for adapter in ["hci0", "hci1"] {
      let actions = machine.handle(.targetChanged(.init(adapter: Trace.adapter(adapter), isPowered: true)))
      #expect(actions.count == 32)
      #expect(machine.handle(.targetChanged(nil)) == [])
      #expect(machine.isSettled)
    }
  }

  @Test("An advertisement waits for expected applications and for their registration")
  func expectedApplications() {
    var machine = RegistrationMachine()
    let adapter = Trace.adapter("hci0")
    _ = machine.handle(.targetChanged(.init(adapter: adapter, isPowered: true)))
    _ = machine.handle(.expectsApplications(true))
    #expect(machine.handle(.replace(removed: [], wanted: [.advertisement(1)], changed: [])) == [])
    #expect(machine.handle(.add(.application(1))) == [.register(.application(1), on: adapter, 1)])
    #expect(machine.handle(.expectsApplications(false)) == [])
    #expect(
      machine.handle(.registered(.application(1), 1))
        == [.didRegister(.application(1)), .register(.advertisement(1), on: adapter, 2)])
  }
}
