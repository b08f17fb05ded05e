import BleperaBluetooth
import BleperaPropertyLists

/// Checks services and their inclusions.
extension ProfileChecker {
  /// The services of a peripheral; also checks their inclusions and the number of their attributes.
  mutating func services(_ peripheral: Fields) -> [CheckedService] {
    guard let field = peripheral[.services] else { return [] }
    var services: [CheckedService] = []
    var seen: Set<BluetoothUUID> = []
    // Unlike `elements`, keeps faulty services, so that including one is not reported as well.
    for (index, node) in nodes(of: field).enumerated() {
      services.append(service(node, field.path.index(index), &seen))
    }
    checkInclusions(services)
    checkSize(services, field)
    return services
  }

  private mutating func checkSize(_ services: [CheckedService], _ field: Field) {
    let count = services.reduce(0) { $0 + $1.service.definition.handleCount }
    let advice: String
    if count > HandleAllocator().count {
      advice = "at most \(HandleAllocator().count): there are no handles for the others"
    } else if count > HandleAllocator(range: HandleAllocator.hashed).count {
      advice =
        "at most \(HandleAllocator(range: HandleAllocator.hashed).count): bluetoothd's Database Hash does not cover the others, and a central "
        + "that caches by it may miss a change"
    } else {
      return
    }
    faults.warn(at: field.node.offset, field.path, found: "\(count) attributes", expected: advice)
  }

  private func nodes(of field: Field) -> [PropertyListNode] {
    if case .array(let nodes) = field.node.value { nodes } else { [] }
  }

  private mutating func service(
    _ node: PropertyListNode, _ path: NodePath, _ seen: inout Set<BluetoothUUID>
  ) -> CheckedService {
    let placeholder = Profile.Service(uuid: BluetoothUUID(0 as UInt16))
    guard let fields = fields(of: node, .service, path) else { return CheckedService(service: placeholder) }
    var checked = CheckedService(service: placeholder)
    if let field = fields[.serviceUUID], let uuid = uuid(field) {
      checked.uuid = uuid
      checked.service.uuid = uuid
      if let name = ServiceDefinition.refusedName(of: uuid),
        !isAccessory || ServiceDefinition.ownedByHost.contains(uuid)
      {
        let advice =
          isAccessory
          ? "another service: each device has this one"
          : "another service, or the 128-bit form: Core Bluetooth refuses this one (CBError.uuidNotAllowed)"
        error(field, found: "\(uuid), the \(name) service", expected: advice)
      } else if !seen.insert(uuid).inserted {
        faults.warn(
          at: field.node.contentOffset, field.path, found: "\(uuid) a second time",
          expected: "one service of each UUID: a central cannot distinguish them")
      }
    }
    if let primary = fields[.primary], case .boolean(let isPrimary) = primary.node.value {
      checked.service.isPrimary = isPrimary
    }
    if let field = fields[.includedServices] {
      var included: Set<BluetoothUUID> = []
      for element in elements(of: field, .uuid) {
        guard let uuid = uuid(element) else { continue }
        if !included.insert(uuid).inserted {
          error(element, found: "\(uuid) a second time", expected: "each included service once")
        }
        checked.inclusions.append((uuid, element))
      }
      checked.service.includedServices = checked.inclusions.map(\.uuid)
    }
    let states = fields[.states]
    if let states { checked.service.states = names(of: states) }
    if let field = fields[.characteristics] {
      checked.service.characteristics = characteristics(field, states: states)
    }
    return checked
  }

  /// Core Bluetooth publishes an included service before the one that includes it.
  private mutating func checkInclusions(_ services: [CheckedService]) {
    guard services.contains(where: { !$0.inclusions.isEmpty }) else { return }
    let isComplete = services.allSatisfy { $0.uuid != nil }
    var positions: [BluetoothUUID: Int] = [:]
    for (index, service) in services.enumerated() {
      if let uuid = service.uuid, positions[uuid] == nil { positions[uuid] = index }
    }
    let circular = circularServices(services, positions)
    for (index, service) in services.enumerated() {
      for inclusion in service.inclusions {
        guard let position = positions[inclusion.uuid] else {
          if isComplete {
            error(
              inclusion.field, found: "\(inclusion.uuid), which Services does not have",
              expected: "the UUID of a service declared earlier")
          }
          continue
        }
        guard position >= index else { continue }
        if inclusion.uuid == service.uuid {
          error(inclusion.field, found: "the service itself", expected: "another service")
        } else if circular.contains(position) {
          error(
            inclusion.field, found: "\(inclusion.uuid), from which inclusions lead in a circle",
            expected: "services that include only those before them")
        } else {
          error(
            inclusion.field, found: "\(inclusion.uuid), which is declared after this service",
            expected: "a service declared earlier: Core Bluetooth must publish it first")
        }
      }
    }
  }

  /// The services whose inclusions form or lead into a cycle: those that remain when services without inclusions are
  /// removed repeatedly.
  private func circularServices(_ services: [CheckedService], _ positions: [BluetoothUUID: Int]) -> Set<Int> {
    var includers: [[Int]] = Array(repeating: [], count: services.count)
    var open = Array(repeating: 0, count: services.count)
    for (index, service) in services.enumerated() {
      for inclusion in service.inclusions {
        guard let position = positions[inclusion.uuid] else { continue }
        includers[position].append(index)
        open[index] += 1
      }
    }
    var remaining = Set(services.indices)
    var free = services.indices.filter { open[$0] == 0 }
    while let index = free.popLast() {
      remaining.remove(index)
      for includer in includers[index] {
        open[includer] -= 1
        if open[includer] == 0 { free.append(includer) }
      }
    }
    return remaining
  }
}

/// A service with the inclusions that can be checked only after all services are read.
struct CheckedService {
  /// Nil where it is faulty.
  var uuid: BluetoothUUID?
  var service: Profile.Service
  var inclusions: [(uuid: BluetoothUUID, field: Fields.Field)] = []
}
