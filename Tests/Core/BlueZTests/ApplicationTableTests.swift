import BleperaDBus
import BleperaRadio
import Testing

@testable import BleperaBlueZ
@testable import BleperaBluetooth

@Suite("Services and the applications that they are published in")
struct ApplicationTableTests {
  /// `A B C[A B]` publishes three services in one call, the last including the others; `-A` removes one; `left 1` says
  /// that an application has left. Each step has its changes: `+3 after 1 2`, `-1`.
  private static let table: [(name: String, steps: [(String, String)])] = [
    ("each service is an application", [("A B", "+1, +2"), ("C", "+3")]),
    ("services that include each other are one", [("A B[A]", "+2"), ("C D E[C D]", "+5")]),
    ("groups of one call come together", [("A B[A] C D[C] E[B D] F", "+5, +6")]),
    (
      "groups that are published come together when they have left",
      [
        ("A", "+1"), ("B", "+2"), ("C[A B]", "-1, -2, +3 after 1 2"), ("left 1", ""), ("left 2", ""),
        ("D[C]", "-3, +4 after 3"),
      ]
    ),
    ("what is published and what is new come together", [("A", "+1"), ("B C[A B]", "-1, +3 after 1")]),
    (
      "what remains of an application is a new one",
      [("A B C[A B]", "+3"), ("-B", "-3, +4 after 3"), ("-A", "-4, +5 after 3 4"), ("-C", "-5")]
    ),
    ("a service that is removed is not there", [("A", "+1"), ("-A", "-1"), ("-A", "")]),
    ("handles are used again when they are free", [("A", "+1"), ("-A", "-1"), ("A", "+2 after 1")]),
    ("and at once where they are free", [("A", "+1"), ("-A", "-1"), ("left 1", ""), ("A", "+2")]),
  ]

  @Test("Each step has its changes", arguments: table.indices) func changes(index: Int) {
    var applications = ApplicationTable(root: "/org/blepera")
    for (step, expected) in Self.table[index].steps {
      let words = step.split(separator: " ")
      let changes: [ApplicationTable.Change]
      if words.first == "left" {
        applications.forget(Int(words[1]) ?? 0)
        changes = []
      } else if step.hasPrefix("-") {
        changes = applications.remove(serviceAt: Self.service(String(step.dropFirst())).handles.start)
      } else {
        changes = applications.publish(Self.services(step))
      }
      #expect(changes.map(Self.text).joined(separator: ", ") == expected, "\(Self.table[index].name): \(step)")
    }
  }

  @Test("An attribute is at the path of the last application that has it") func paths() {
    var applications = ApplicationTable(root: "/org/blepera")
    let a = Self.service("A")
    let value = a.handles.characteristics[0].value
    #expect(applications.path(of: value) == nil)
    _ = applications.publish([a, Self.service("B")])
    #expect(applications.path(of: value) == "/org/blepera/app1/service0/char0")
    _ = applications.publish(Self.services("C[B A]"))
    #expect(applications.path(of: value) == "/org/blepera/app3/service1/char0")
    applications.forget(1)
    #expect(applications.path(of: value) == "/org/blepera/app3/service1/char0")
    #expect(applications.applications[3]?.handle(at: "/org/blepera/app3/service1/char0") == value)
    _ = applications.remove(serviceAt: a.handles.start)
    #expect(applications.path(of: value) == nil)
  }

  @Test("A thousand services take a time that grows with their number", .timeLimit(.minutes(5))) func many() {
    var applications = ApplicationTable(root: "/org/blepera")
    var machine = RegistrationMachine()
    _ = machine.handle(.targetChanged(.init(adapter: "/org/bluez/hci0", isPowered: true)))
    _ = machine.handle(.replace(removed: [], wanted: [.advertisement(0)], changed: []))
    var attempts: [(Registration, Int)] = []
    let clock = ContinuousClock()
    func note(_ actions: [RegistrationMachine.Action]) {
      for case .register(let item, _, let attempt) in actions { attempts.append((item, attempt)) }
    }
    func publish(_ count: UInt16) -> Duration {
      clock.measure {
        for number in 0..<count {
          let start = AttributeHandle(rawValue: 0x1000 + number * 3)
          let definition = ServiceDefinition(uuid: BluetoothUUID(0x4000 + number))
          let service = RadioService(
            definition: definition, handles: ServiceHandles(start: start, end: start))
          for case .add(let number, let after) in applications.publish([service]) {
            note(machine.handle(.add(.application(number), after: after.map { .application($0) })))
          }
        }
        var answered = 0
        while answered < attempts.count {
          let (item, attempt) = attempts[answered]
          answered += 1
          note(machine.handle(.registered(item, attempt)))
        }
      }
    }
    let small = publish(500)
    attempts = []
    let large = publish(4000)
    #expect(machine.isRegistered(.application(4500)))
    // Eight times the services; 64 times the time where each looked at all.
    #expect(large < small * 40)
  }

  private static func services(_ text: String) -> [RadioService] {
    var words: [String] = []
    for word in text.split(separator: " ") {
      if let last = words.last, last.contains("["), !last.hasSuffix("]") {
        words[words.count - 1] = last + " " + word
      } else {
        words.append(String(word))
      }
    }
    return words.map(service)
  }

  /// `C[A B]`: each letter has a UUID and handles of its own.
  private static func service(_ text: String) -> RadioService {
    let parts = text.split { " []".contains($0) }.map { UInt16($0.utf8.first ?? 0) }
    let definition = ServiceDefinition(
      uuid: BluetoothUUID(0x5000 + parts[0]),
      includedServices: parts.dropFirst().map { BluetoothUUID(0x5000 + $0) },
      characteristics: [
        CharacteristicDefinition(uuid: BluetoothUUID(0x2A37 as UInt16), properties: [.read], permissions: .readable)
      ])
    let start = 0x100 + (parts[0] - 65) * 16
    func handle(_ offset: UInt16) -> AttributeHandle { AttributeHandle(rawValue: start + offset) }
    return RadioService(
      definition: definition,
      handles: ServiceHandles(
        start: handle(0), end: handle(15), characteristics: [.init(declaration: handle(8), value: handle(9))]))
  }

  private static func text(_ change: ApplicationTable.Change) -> String {
    switch change {
    case .remove(let number): "-\(number)"
    case .add(let number, let after):
      (["+\(number)"] + (after.isEmpty ? [] : ["after"]) + after.map { "\($0)" }).joined(separator: " ")
    }
  }
}
