import AppLink
import GATT

/// What must hold of a state besides the types of its values, so that nobody who restores it has to look again.
extension PreservedState {
  /// The first contradiction; nil where there is none.
  var problem: KeyProblem? {
    if let index = firstRepeated(apps.map(\.identity.bundleIdentifier)) {
      return KeyProblem(path: "Apps[\(index)].Identity.BundleIdentifier", problem: "another app has already")
    }
    let restoring = apps.indices.filter { apps[$0].identity.restoreIdentifier != nil }
    if let index = firstRepeated(restoring.map { apps[$0].identity.restoreIdentifier }) {
      return KeyProblem(
        path: "Apps[\(restoring[index])].Identity.RestoreIdentifier", problem: "another app has already")
    }
    return apps.enumerated().lazy.compactMap { $1.problem(at: "Apps[\($0)]") }.first
  }
}

extension PreservedApp {
  fileprivate func problem(at path: String) -> KeyProblem? {
    if let index = firstRepeated(services.map(\.id)) {
      return KeyProblem(path: "\(path).Services[\(index)].ID", problem: "another service has already")
    }
    if let problem = services.enumerated().lazy.compactMap({ $1.problem(at: "\(path).Services[\($0)]") }).first {
      return problem
    }
    if let index = firstRepeated(subscribers.map { Subscription(central: $0.central, to: $0.characteristic) }) {
      return KeyProblem(path: "\(path).Subscribers[\(index)]", problem: "is there already")
    }
    let stray = subscribers.firstIndex { subscriber in
      let service = services.first { $0.id == subscriber.characteristic.service }
      return service?.definition.characteristics.indices.contains(subscriber.characteristic.index) != true
    }
    return stray.map {
      KeyProblem(path: "\(path).Subscribers[\($0)].Characteristic", problem: "no service has")
    }
  }
}

private struct Subscription: Hashable {
  let central: CentralID
  let to: CharacteristicID

  init(central: CentralID, to characteristic: CharacteristicID) {
    self.central = central
    to = characteristic
  }
}

extension PreservedService {
  fileprivate func problem(at path: String) -> KeyProblem? {
    guard handles.fit(definition) else {
      return KeyProblem(path: "\(path).Handles", problem: "are not those of its definition")
    }
    guard application >= 0 else { return KeyProblem(path: "\(path).Application", problem: "is negative") }
    guard place >= 0 else { return KeyProblem(path: "\(path).Place", problem: "is negative") }
    let stray = descriptorValues.firstIndex { value in
      guard definition.characteristics.indices.contains(value.characteristic) else { return true }
      return !definition.characteristics[value.characteristic].descriptors.indices.contains(value.descriptor)
    }
    return stray.map { KeyProblem(path: "\(path).DescriptorValues[\($0)]", problem: "its definition does not have") }
  }
}

extension ServiceHandles {
  /// Whether there is one for each attribute, one after another.
  fileprivate func fit(_ definition: ServiceDefinition) -> Bool {
    guard includes.count == definition.includedServices.count,
      characteristics.count == definition.characteristics.count,
      zip(characteristics, definition.characteristics).allSatisfy({ $0.fit($1) })
    else { return false }
    let all = [start] + includes + characteristics.flatMap(\.all)
    return start.rawValue > 0 && all.last == end
      && all.enumerated().allSatisfy { Int(start.rawValue) + $0 == Int($1.rawValue) }
  }
}

extension CharacteristicHandles {
  fileprivate var all: [AttributeHandle] {
    [declaration, value] + [clientConfiguration, extendedProperties].compactMap(\.self) + descriptors
  }

  fileprivate func fit(_ definition: CharacteristicDefinition) -> Bool {
    (clientConfiguration != nil) == definition.hasClientConfiguration
      && (extendedProperties != nil) == definition.properties.contains(.extendedProperties)
      && descriptors.count == definition.descriptors.count
  }
}

/// The place of the first element that stands before already.
private func firstRepeated<Element: Hashable>(_ elements: [Element]) -> Int? {
  var seen: Set<Element> = []
  return elements.firstIndex { !seen.insert($0).inserted }
}
