import BleperaAppLink
import BleperaBluetooth

/// A value of the preserved state that is invalid in its place.
package struct InvalidState: Error, Hashable, Sendable {
  /// The keys that lead to the value: `apps[0].services[1].handles`.
  package let path: String
  /// The predicate of the path: "is missing".
  package let problem: String
}

extension InvalidState: CustomStringConvertible {
  package var description: String { "\(path) \(problem)" }
}

/// The invariants that types alone cannot express, checked on reading and writing so that restoring need not.
extension PreservedState {
  /// The first violation; nil for a consistent state.
  var inconsistency: InvalidState? {
    if identity?.isValid == false { return InvalidState(path: "identity", problem: "has an invalid address") }
    if let index = firstRepeated(apps.map(\.identity.bundleIdentifier)) {
      return .repeated("apps[\(index)]")
    }
    if let index = firstRepeated((peripherals ?? []).map(\.id)) {
      return InvalidState(path: "peripherals[\(index)].id", problem: "is also another peripheral's")
    }
    return apps.enumerated().lazy.compactMap { $1.inconsistency(at: "apps[\($0)]") }.first
  }

  /// Removes the apps that violate the invariants, so that they cannot keep the state of the others from being saved.
  ///
  /// - Returns: the bundle identifiers of the removed apps, each with its first violation.
  package mutating func removeInconsistentApps() -> [(app: String, violation: InvalidState)] {
    var removed: [(app: String, violation: InvalidState)] = []
    var seen: Set<String> = []
    apps = apps.enumerated().filter { index, app in
      let identifier = app.identity.bundleIdentifier
      let isRepeated = !seen.insert(identifier).inserted
      let path = "apps[\(index)]"
      let violation =
        isRepeated ? InvalidState.repeated(path) : app.inconsistency(at: path) ?? app.encodingViolation(at: path)
      if let violation { removed.append((identifier, violation)) }
      return violation == nil
    }.map(\.element)
    return removed
  }
}

extension PreservedApp {
  fileprivate func encodingViolation(at path: String) -> InvalidState? {
    do throws(InvalidState) {
      _ = try StateFile.json(self)
      return nil
    } catch { return InvalidState(path: path, problem: error.problem) }
  }
}

extension InvalidState {
  fileprivate static func repeated(_ app: String) -> Self {
    InvalidState(path: "\(app).identity.bundleIdentifier", problem: "is also another app's")
  }
}

extension PreservedApp {
  fileprivate func inconsistency(at path: String) -> InvalidState? {
    if let index = firstRepeated(services.map(\.id)) {
      return InvalidState(path: "\(path).services[\(index)].id", problem: "is also another service's")
    }
    if let index = firstRepeated(managers.map(\.id)) {
      return InvalidState(path: "\(path).managers[\(index)].id", problem: "is also another manager's")
    }
    if let index = managers.firstIndex(where: { !isNumber($0.order) }) {
      let order = managers[index].order
      let place = "managers[\(index)].content.peripheral.advertisement.order"
      return InvalidState(path: "\(path).\(place)", problem: "\(order) \(outOfRange)")
    }
    let stranger = services.firstIndex { service in
      !managers.contains { $0.id == ManagerID(.peripheral, service.manager) }
    }
    if let stranger {
      return InvalidState(path: "\(path).services[\(stranger)].manager", problem: "does not belong to the app")
    }
    let invalid = services.enumerated().lazy.compactMap { $1.inconsistency(at: "\(path).services[\($0)]") }.first
    if let invalid { return invalid }
    if let index = firstRepeated(subscribers.map { Subscription(central: $0.central, target: $0.characteristic) }) {
      return InvalidState(path: "\(path).subscribers[\(index)]", problem: "is a duplicate")
    }
    let long = subscribers.firstIndex { $0.updates.contains { $0.count > AttributeValue.maximumPacketLength } }
    if let long {
      return InvalidState(
        path: "\(path).subscribers[\(long)].updates",
        problem: "has an update of more than \(AttributeValue.maximumPacketLength) bytes")
    }
    let foreign = events.firstIndex { event in !managers.contains { $0.id == event.message.manager } }
    if let foreign {
      return InvalidState(path: "\(path).events[\(foreign)].message", problem: "is not for one of the app's managers")
    }
    let definitions = Dictionary(uniqueKeysWithValues: services.map { ($0.id, $0.definition) })
    let stray = subscribers.firstIndex { subscriber in
      definitions[subscriber.characteristic.service]?.characteristics.indices
        .contains(subscriber.characteristic.index) != true
    }
    return stray.map {
      InvalidState(path: "\(path).subscribers[\($0)].characteristic", problem: "does not belong to the app")
    }
  }
}

private struct Subscription: Hashable {
  let central: CentralID
  let target: CharacteristicID
}

extension PreservedService {
  fileprivate func inconsistency(at path: String) -> InvalidState? {
    guard isNumber(id.rawValue) else {
      return InvalidState(path: "\(path).id", problem: "\(id.rawValue) \(outOfRange)")
    }
    let values = definition.characteristics.flatMap { [$0.value ?? []] + $0.descriptors.map(\.value) }
    guard (values + descriptorValues.map(\.value)).allSatisfy(isValue) else {
      return InvalidState(path: path, problem: "has a value that \(tooLong)")
    }
    guard handles.match(definition) else {
      return InvalidState(path: "\(path).handles", problem: "do not match the service's definition")
    }
    let stray = descriptorValues.firstIndex { value in
      guard definition.characteristics.indices.contains(value.characteristic) else { return true }
      return !definition.characteristics[value.characteristic].descriptors.indices.contains(value.descriptor)
    }
    return stray.map {
      InvalidState(path: "\(path).descriptorValues[\($0)]", problem: "is not in the service's definition")
    }
  }
}

extension ServiceHandles {
  /// Whether each attribute has a handle, in ascending order without gaps.
  fileprivate func match(_ definition: ServiceDefinition) -> Bool {
    guard includes.count == definition.includedServices.count,
      characteristics.count == definition.characteristics.count,
      zip(characteristics, definition.characteristics).allSatisfy({ $0.match($1) })
    else { return false }
    let all = [start] + includes + characteristics.flatMap(\.all)
    return start.rawValue > 0 && all.last == end
      && all.enumerated().allSatisfy { Int(start.rawValue) + $0 == Int($1.rawValue) }
  }
}

extension CharacteristicHandles {
  fileprivate var all: [AttributeHandle] {
    [declaration, value] + [clientConfiguration, extendedProperties].compactMap(\.self).sorted() + descriptors
  }

  fileprivate func match(_ definition: CharacteristicDefinition) -> Bool {
    (clientConfiguration != nil) == definition.hasClientConfiguration
      && (extendedProperties != nil) == definition.properties.contains(.extendedProperties)
      && descriptors.count == definition.descriptors.count
  }
}

/// Whether a number of the state leaves room for the next ones.
private func isNumber(_ number: Int) -> Bool { ServiceID.numbers.contains(number) }

private func isValue(_ value: [UInt8]) -> Bool { value.count <= AttributeValue.maximumLength }

private let outOfRange = "is not from 0 to 1000000000"
private let tooLong = "is longer than \(AttributeValue.maximumLength) bytes"

/// The index of the first element that equals an earlier one.
private func firstRepeated<Element: Hashable>(_ elements: [Element]) -> Int? {
  var seen: Set<Element> = []
  return elements.firstIndex { !seen.insert($0).inserted }
}
