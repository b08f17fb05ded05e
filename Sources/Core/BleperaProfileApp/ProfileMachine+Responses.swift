import BleperaAppLink
import BleperaBluetooth
import BleperaProfile

/// Applies tables of responses.
extension ProfileMachine {
  /// The most runs that wait; a write that would add another one is refused.
  static let runLimit = 1024

  /// A row and what it has captured.
  struct Response: Hashable, Sendable {
    let source: CharacteristicID
    let row: Responses.Row
    let fields: [String: [UInt8]]

    /// The value that the characteristic has then.
    func value(written: [UInt8]) -> [UInt8] {
      row.value?.value(fields, limit: AttributeValue.maximumPacketLength) ?? written
    }
  }

  /// The response to a written value; nil for characteristics without responses.
  func response(to value: [UInt8], of id: CharacteristicID, from central: CentralID) throws(ATTError) -> Response? {
    guard case .responses(let responses) = characteristic(id)?.behavior else { return nil }
    for row in responses.rows where isInState(row, id.service) && lacksSubscription(row, id.service, central) {
      guard let fields = row.pattern.match(value) else { continue }
      guard row.steps.isEmpty || runs.count < Self.runLimit else { throw .insufficientResources }
      return Response(source: id, row: row, fields: fields)
    }
    throw responses.otherwise
  }

  private func isInState(_ row: Responses.Row, _ service: ServiceID) -> Bool {
    row.states?.contains(states[service] ?? "") ?? true
  }

  private func lacksSubscription(_ row: Responses.Row, _ service: ServiceID, _ central: CentralID) -> Bool {
    row.unlessSubscribed.isEmpty
      || row.unlessSubscribed.contains { uuid in
        place(of: uuid, in: service).map { subscribers[$0]?.contains(central) != true } ?? true
      }
  }

  /// Changes the state and begins the steps, those without a delay at once.
  mutating func follow(_ response: Response, at now: Duration) -> [Action] {
    let service = response.source.service
    let wasDue = runs.due
    if response.row.cancels { runs.remove { $0.service == service } }
    if let state = response.row.newState { states[service] = state }
    runs.add(response.row.steps, of: response.source, response.fields, at: now)
    return proceed(at: now) + reschedule(from: wasDue)
  }

  func isStepDue(at now: Duration) -> Bool { runs.due.map { $0 <= now } ?? false }

  /// Performs the steps that are due, in order. As with a timer of an app on iOS, a late step delays those after it.
  mutating func performSteps(at now: Duration) -> [Action] { proceed(at: now) + reschedule(from: nil) }

  private mutating func proceed(at now: Duration) -> [Action] {
    var actions: [Action] = []
    while let (step, run) = runs.next(at: now) { actions += perform(step, of: run) }
    return actions
  }

  private func reschedule(from former: Duration?) -> [Action] { runs.schedule(.steps, from: former) }

  private mutating func perform(_ step: Responses.Step, of run: ResponseRun<CharacteristicID>) -> [Action] {
    let service = run.source.service
    if let state = step.newState { states[service] = state }
    guard let template = step.value else { return [] }
    guard let id = step.characteristic.map({ place(of: $0, in: service) }) ?? run.source else { return [] }
    let value = template.value(run.fields, limit: AttributeValue.maximumPacketLength)
    values[id] = value
    return hasSubscribers(id) ? update(id, value) : []
  }

  private func place(of uuid: BluetoothUUID, in service: ServiceID) -> CharacteristicID? {
    guard profile.services.indices.contains(service.rawValue) else { return nil }
    let index = profile.services[service.rawValue].characteristics.firstIndex { $0.definition.uuid == uuid }
    return index.map { CharacteristicID(service: service, index: $0) }
  }
}
