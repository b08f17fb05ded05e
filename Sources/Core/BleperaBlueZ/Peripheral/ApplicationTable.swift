package import BleperaBluetooth
package import BleperaDBus
package import BleperaRadio

/// Assigns published services to bluetoothd applications.
///
/// Services connected by includes share an application, because bluetoothd resolves includes only within one
/// application. An application never changes: when services are merged or removed, a new application with a new number
/// replaces the old ones after their removal.
package struct ApplicationTable: Sendable {
  package enum Change: Hashable, Sendable {
    case remove(Int)
    /// The application is to be registered after the applications in `after` are unregistered.
    case add(Int, after: [Int])
  }

  private struct Draft {
    var services: [GATTApplication.Service] = []
    var replaced: [Int] = []
  }

  /// The applications by number, including applications that are being removed.
  package private(set) var applications: [Int: GATTApplication] = [:]
  private var leaving: Set<Int> = []
  /// The application of each published service, by the service's first handle.
  private var owners: [AttributeHandle: Int] = [:]
  /// The first handles of published services in the order in which they were published.
  private var published: [BluetoothUUID: [AttributeHandle]] = [:]
  private var paths: [AttributeHandle: ObjectPath] = [:]
  private var lastNumber = 0
  private let root: ObjectPath

  /// - Parameter root: the path below which each application has its own element, such as `app7`.
  package init(root: ObjectPath) { self.root = root }

  package func isLeaving(_ number: Int) -> Bool { leaving.contains(number) }

  /// The applications that are not being removed.
  package var current: [Int] { applications.keys.filter { !leaving.contains($0) }.sorted() }

  /// The object of a characteristic or a descriptor of a published service.
  package func path(of attribute: AttributeHandle) -> ObjectPath? { paths[attribute] }

  package func number(ofServiceAt start: AttributeHandle) -> Int? { owners[start] }

  /// Removals come first.
  package mutating func publish(_ services: [RadioService]) -> [Change] {
    var drafts: [Int: Draft] = [:]
    for service in services {
      lastNumber += 1
      var draft = Draft()
      let included = service.definition.includedServices.compactMap { published[$0]?.last }
      for start in included {
        guard let owner = owners[start], owner != lastNumber else { continue }
        let moved = drafts.removeValue(forKey: owner)
        draft.replaced += moved?.replaced ?? [owner]
        let services = moved?.services ?? applications[owner]?.services ?? []
        for service in services { owners[service.handles.start] = lastNumber }
        draft.services += services
      }
      draft.services.append(
        GATTApplication.Service(definition: service.definition, handles: service.handles, included: included))
      owners[service.handles.start] = lastNumber
      published[service.definition.uuid, default: []].append(service.handles.start)
      drafts[lastNumber] = draft
    }
    let ordered = drafts.sorted { $0.key < $1.key }
    let removals = ordered.flatMap(\.value.replaced).sorted()
    leaving.formUnion(removals)
    return removals.map { .remove($0) } + ordered.map { add($0.key, $0.value.services) }
  }

  /// Removes the service that begins at that handle; the rest of its application becomes a new application.
  package mutating func remove(serviceAt start: AttributeHandle) -> [Change] {
    guard let number = owners.removeValue(forKey: start), let application = applications[number] else { return [] }
    leaving.insert(number)
    let rest = application.services.filter { $0.handles.start != start }
    for service in application.services where service.handles.start == start {
      published[service.definition.uuid]?.removeAll { $0 == start }
    }
    removePaths(of: application)
    guard !rest.isEmpty else { return [.remove(number)] }
    lastNumber += 1
    for service in rest { owners[service.handles.start] = lastNumber }
    return [.remove(number), add(lastNumber, rest)]
  }

  /// Gives the services of an application other first handles, in their order; the application becomes a new one.
  package mutating func move(_ number: Int, to starts: [AttributeHandle]) -> Move? {
    guard let application = applications[number], application.services.count == starts.count,
      leaving.insert(number).inserted
    else { return nil }
    removePaths(of: application)
    let places = Dictionary(zip(application.services.map(\.handles.start), starts)) { first, _ in first }
    let services = zip(application.services, starts).map { service, start in
      GATTApplication.Service(
        definition: service.definition, handles: service.definition.handles(startingAt: start),
        included: service.included.compactMap { places[$0] })
    }
    lastNumber += 1
    for (old, new) in zip(application.services, services) {
      owners[old.handles.start] = nil
      owners[new.handles.start] = lastNumber
      let uuid = old.definition.uuid
      published[uuid] = published[uuid]?.map { $0 == old.handles.start ? new.handles.start : $0 }
    }
    guard case .add(let new, let after) = add(lastNumber, services) else { return nil }
    return Move(
      number: new, predecessors: after,
      handles: zip(application.services, services).map { ($0.handles.start, $1.handles) })
  }

  /// The new number of an application whose services have moved.
  package struct Move {
    package let number: Int
    /// The applications that must be unregistered before.
    package let predecessors: [Int]
    /// The new handles, by the former first handle of each service.
    package let handles: [(from: AttributeHandle, to: ServiceHandles)]
  }

  /// The handles that all applications but one have or are leaving.
  package func ranges(except number: Int) -> [ClosedRange<AttributeHandle>] {
    applications.filter { $0.key != number }.values.flatMap(\.ranges)
  }

  /// Called after an application is unregistered.
  package mutating func forget(_ number: Int) {
    leaving.remove(number)
    guard let application = applications.removeValue(forKey: number) else { return }
    removePaths(of: application)
  }

  /// Keeps paths that another application has taken over.
  private mutating func removePaths(of application: GATTApplication) {
    for (handle, path) in application.paths where paths[handle] == path { paths[handle] = nil }
  }

  private mutating func add(_ number: Int, _ services: [GATTApplication.Service]) -> Change {
    let application = GATTApplication(root: root.appending("app\(number)"), services: services)
    let predecessors = leaving.filter { applications[$0]?.sharesHandles(with: application) == true }
    applications[number] = application
    paths.merge(application.paths) { $1 }
    return .add(number, after: predecessors.sorted())
  }
}

extension GATTApplication {
  /// Whether the handle ranges of the two overlap.
  fileprivate func sharesHandles(with other: GATTApplication) -> Bool {
    services.contains { mine in
      other.services.contains { mine.handles.start <= $0.handles.end && $0.handles.start <= mine.handles.end }
    }
  }
}
