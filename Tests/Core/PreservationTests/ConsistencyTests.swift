import Testing

@testable import BleperaBluetooth
@testable import BleperaPreservation

@Suite("A state that is not consistent")
struct ConsistencyTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let path: String
    let change: @Sendable (inout PreservedApp) -> Void

    var testDescription: String { path }

    init(_ path: String, _ change: @escaping @Sendable (inout PreservedApp) -> Void) {
      self.path = path
      self.change = change
    }
  }

  @Test("Without the apps that are not consistent it is")
  func removed() throws {
    var state = Samples.full
    var twin = state.apps[0]
    twin.subscribers = []
    var bad = twin
    bad.identity.bundleIdentifier = "org.example.bad"
    bad.services[0].id = ServiceID(rawValue: -1)
    var unwritable = bad
    unwritable.identity.bundleIdentifier = "org.example.unwritable"
    unwritable.services = []
    unwritable.identity.rules.foregroundInterval = .infinity
    state.apps = [bad, state.apps[0], twin, unwritable]
    let removed = state.removeInconsistentApps()
    #expect(
      removed.map(\.app) == [
        "org.example.bad", Samples.full.apps[0].identity.bundleIdentifier, "org.example.unwritable",
      ])
    #expect(
      removed.map(\.violation.path) == ["apps[0].services[0].id", "apps[2].identity.bundleIdentifier", "apps[3]"])
    #expect(state == Samples.full)
    #expect(try StateFile.decode(StateFile.encode(state)) == state)
  }

  @Test(
    "It is neither written nor read",
    arguments: [
      Case("apps[0].services[1].id") { $0.services.append($0.services[0]) },
      Case("apps[0].managers[2].id") { $0.managers.append($0.managers[0]) },
      Case("apps[0].managers[2].id") { $0.managers.append($0.managers[1]) },
      Case("apps[0].services[0].manager") { $0.managers.removeFirst() },
      Case("apps[0].services[0].id") {
        $0.services[0].id = ServiceID(rawValue: .max)
        $0.subscribers = []
      },
      Case("apps[0].services[0]") {
        $0.services[0].definition.characteristics[1].descriptors[0].value = [UInt8](repeating: 0, count: 513)
      },
      Case("apps[0].services[0]") { $0.services[0].descriptorValues[0].value = [UInt8](repeating: 0, count: 513) },
      Case("apps[0].managers[0].content.peripheral.advertisement.order") {
        $0.advertisement = PreservedAdvertisement(requested: nil, effective: nil, order: .max)
      },
      Case("apps[0].subscribers[0].updates") { $0.subscribers[0].updates = [[UInt8](repeating: 0, count: 525)] },
      Case("apps[0].services[0].manager") { $0.services[0].manager = .restorable("unknown") },
      Case("apps[0].services[0].handles") { $0.services[0].handles.characteristics.removeLast() },
      Case("apps[0].services[0].handles") { $0.services[0].handles.includes = [] },
      Case("apps[0].services[0].handles") { $0.services[0].handles.end = 0x010A },
      Case("apps[0].services[0].handles") { $0.services[0].handles.characteristics[0].value = 0x0105 },
      Case("apps[0].services[0].handles") { $0.services[0].handles.characteristics[0].clientConfiguration = 0x0105 },
      Case("apps[0].services[0].handles") { $0.services[0].handles.characteristics[1].clientConfiguration = nil },
      Case("apps[0].services[0].handles") { $0.services[0].handles.characteristics[1].extendedProperties = nil },
      Case("apps[0].services[0].handles") { $0.services[0].handles.characteristics[1].descriptors = [] },
      Case("apps[0].services[0].handles") {
        $0.services[0].definition = ServiceDefinition(uuid: BluetoothUUID(0x180D as UInt16))
        $0.services[0].handles = ServiceHandles(start: 0, end: 0)
        $0.services[0].descriptorValues = []
        $0.subscribers = []
      },
      Case("apps[0].services[0].descriptorValues[0]") { $0.services[0].descriptorValues[0].characteristic = 2 },
      Case("apps[0].services[0].descriptorValues[0]") { $0.services[0].descriptorValues[0].descriptor = -1 },
      Case("apps[0].subscribers[1]") { $0.subscribers.append($0.subscribers[0]) },
      Case("apps[0].subscribers[0].characteristic") { $0.services = [] },
      Case("apps[0].subscribers[0].characteristic") {
        $0.subscribers[0].characteristic = CharacteristicID(service: Samples.service, index: 2)
      },
    ])
  func refused(example: Case) throws {
    let state = Samples.full.changed(example.change)
    let problem = try #require(throws: InvalidState.self) { try StateFile.encode(state) }
    #expect(problem.path == example.path)
    let document = Seal.sealed(
      try StateFile.json(StateFile.Contents(version: StateFile.version, apps: state.apps)))
    #expect(throws: StateFileError.corrupt(.invalid(problem))) { try StateFile.decode(document) }
  }

  @Test("Two apps have no bundle identifier in common")
  func twoApps() throws {
    var other = Samples.app
    other.identity.bundleIdentifier = "a.c"
    // A restoration identifier is one of its app.
    _ = try StateFile.encode(PreservedState(apps: [Samples.app, Samples.bare, other]))
    other = Samples.app
    other.managers[0].name = .restorable("other")
    other.services = []
    other.subscribers = []
    #expect(throws: InvalidState(path: "apps[1].identity.bundleIdentifier", problem: "is also another app's")) {
      try StateFile.encode(PreservedState(apps: [Samples.app, other]))
    }
  }

  @Test("The addresses of a phone and of its bonds are addresses", arguments: [true, false])
  func identity(isOfPhone: Bool) throws {
    var state = Samples.identified
    #expect(state.inconsistency == nil)
    if isOfPhone {
      state.identity?.address = "00:AA"
    } else {
      state.identity?.bonds[0].central = CentralID(rawValue: "00:AA:01:00:00:0G")
    }
    #expect(throws: InvalidState(path: "identity", problem: "has an invalid address")) {
      try StateFile.encode(state)
    }
  }

  @Test("Two apps without a restoration identifier are consistent")
  func noIdentifier() {
    var other = Samples.bare
    other.identity.bundleIdentifier = "a.c"
    #expect(PreservedState(apps: [Samples.bare, other]).inconsistency == nil)
  }
}
