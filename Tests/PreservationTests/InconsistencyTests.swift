import AppLink
import GATT
import Testing

@testable import Preservation

@Suite("A state that contradicts itself")
struct InconsistencyTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let path: String
    let change: @Sendable (inout PreservedApp) -> Void

    var testDescription: String { path }

    init(_ path: String, _ change: @escaping @Sendable (inout PreservedApp) -> Void) {
      self.path = path
      self.change = change
    }
  }

  @Test(
    "It is neither written nor read",
    arguments: [
      Case("Apps[0].Services[1].ID") { $0.services.append($0.services[0]) },
      Case("Apps[0].Services[0].Handles") { $0.services[0].handles.characteristics.removeLast() },
      Case("Apps[0].Services[0].Handles") { $0.services[0].handles.includes = [] },
      Case("Apps[0].Services[0].Handles") { $0.services[0].handles.end = 0x010A },
      Case("Apps[0].Services[0].Handles") { $0.services[0].handles.characteristics[0].value = 0x0105 },
      Case("Apps[0].Services[0].Handles") { $0.services[0].handles.characteristics[0].clientConfiguration = 0x0105 },
      Case("Apps[0].Services[0].Handles") { $0.services[0].handles.characteristics[1].clientConfiguration = nil },
      Case("Apps[0].Services[0].Handles") { $0.services[0].handles.characteristics[1].extendedProperties = nil },
      Case("Apps[0].Services[0].Handles") { $0.services[0].handles.characteristics[1].descriptors = [] },
      Case("Apps[0].Services[0].Handles") {
        $0.services[0].definition = ServiceDefinition(uuid: BluetoothUUID(0x180D as UInt16))
        $0.services[0].handles = ServiceHandles(start: 0, end: 0)
        $0.services[0].descriptorValues = []
        $0.subscribers = []
      },
      Case("Apps[0].Services[0].Application") { $0.services[0].application = -1 },
      Case("Apps[0].Services[0].Place") { $0.services[0].place = -1 },
      Case("Apps[0].Services[0].DescriptorValues[0]") { $0.services[0].descriptorValues[0].characteristic = 2 },
      Case("Apps[0].Services[0].DescriptorValues[0]") { $0.services[0].descriptorValues[0].descriptor = -1 },
      Case("Apps[0].Subscribers[1]") { $0.subscribers.append($0.subscribers[0]) },
      Case("Apps[0].Subscribers[0].Characteristic") { $0.services = [] },
      Case("Apps[0].Subscribers[0].Characteristic") {
        $0.subscribers[0].characteristic = CharacteristicID(service: Samples.service, index: 2)
      },
    ])
  func refused(example: Case) throws {
    let state = Samples.full.changed(example.change)
    let problem = try #require(throws: KeyProblem.self) { try StateDocument.encode(state) }
    #expect(problem.path == example.path)
    let document = Seal.sealed(try StateDocument.propertyList(StateRoot(version: StateDocument.version, state: state)))
    #expect(throws: StateDocumentError.damaged(.key(problem))) { try StateDocument.decode(document) }
  }

  @Test("Two apps have no identifier in common")
  func twoApps() throws {
    var other = Samples.app
    other.identity.bundleIdentifier = "a.c"
    #expect(
      throws: KeyProblem(path: "Apps[2].Identity.RestoreIdentifier", problem: "another app has already")
    ) { try StateDocument.encode(PreservedState(apps: [Samples.app, Samples.bare, other])) }
    other = Samples.app
    other.identity.restoreIdentifier = nil
    #expect(throws: KeyProblem(path: "Apps[1].Identity.BundleIdentifier", problem: "another app has already")) {
      try StateDocument.encode(PreservedState(apps: [Samples.app, other]))
    }
  }

  @Test("Two apps without a restoration identifier are no contradiction")
  func noIdentifier() {
    var other = Samples.bare
    other.identity.bundleIdentifier = "a.c"
    #expect(PreservedState(apps: [Samples.bare, other]).problem == nil)
  }
}
