import BleperaAppLink
package import BleperaBluetooth
import BleperaProfile

/// Responds to reads and writes.
extension ProfileMachine {
  /// Responds at once, or after the longest delay of the request's characteristics.
  mutating func receive(_ request: AppRequest, at now: Duration) -> [Action] {
    let delay = request.characteristics.compactMap { characteristic($0)?.answerDelay }.max() ?? .zero
    guard delay > .zero else { return respond(to: request, at: now) }
    guard !pending.contains(where: { $0.request.id == request.id }) else { return [] }
    let delayed = DelayedRequest(request: request, due: now + delay)
    pending.insert(delayed, at: pending.firstIndex { $0.due > delayed.due } ?? pending.endIndex)
    return [.schedule(.response(request.id), at: delayed.due)]
  }

  /// Responds to a request and to those due before it, so that the order does not depend on that of the timers.
  mutating func respondPending(through id: RequestID, at now: Duration) -> [Action] {
    guard let last = pending.firstIndex(where: { $0.request.id == id }) else { return [] }
    let due = pending[...last]
    pending.removeSubrange(...last)
    let unscheduled = due.dropLast().map { Action.unschedule(.response($0.request.id)) }
    return unscheduled + due.flatMap { respond(to: $0.request, at: now) }
  }

  /// Steps that are due come first, whichever timer or message of the suspended process is seen first.
  private mutating func respond(to request: AppRequest, at now: Duration) -> [Action] {
    let overdue = isStepDue(at: now) ? performSteps(at: now) : []
    switch request {
    case .read(let request): return overdue + [read(request, at: now)]
    case .write(let first, let others): return overdue + write(first, others, at: now)
    }
  }

  private func read(_ request: ReadRequest, at now: Duration) -> Action {
    do throws(ATTError) {
      guard has(request.characteristic) else { throw .attributeNotFound }
      let value = try AttributeValue.slice(value(of: request.characteristic, at: now), from: request.offset)
      return call(.respond(request.id, error: nil, value: value))
    } catch {
      return call(.respond(request.id, error: error, value: []))
    }
  }

  package func value(of id: CharacteristicID, at now: Duration) -> [UInt8] {
    guard let generator = generator(id) else { return values[id] ?? [] }
    return generator.value(step: step(of: id, generator, at: now), seed: seed(for: id))
  }

  /// Writes all of the values or none, as Core Bluetooth requires.
  private mutating func write(_ first: WriteRequest, _ others: [WriteRequest], at now: Duration) -> [Action] {
    let requests = [first] + others
    var new = values
    var written: [CharacteristicID] = []
    var responses: [Response] = []
    // A write without response may be longer than a value that is written in pieces.
    let limit = others.isEmpty ? AttributeValue.maximumPacketLength : AttributeValue.maximumLength
    do throws(ATTError) {
      for request in requests {
        let id = request.characteristic
        guard has(id) else { throw .attributeNotFound }
        new[id] = try AttributeValue.writing(request.value, at: request.offset, to: new[id] ?? [], limit: limit)
        if !written.contains(id) { written.append(id) }
      }
      for id in written {
        let value = new[id] ?? []
        guard let response = try response(to: value, of: id, from: first.central.id) else { continue }
        if let error = response.row.error {
          return [call(.respond(first.id, error: error, value: []))] + follow(response, at: now)
        }
        new[id] = response.value(written: value)
        responses.append(response)
      }
    } catch {
      return [call(.respond(first.id, error: error, value: []))]
    }
    values = new
    return [call(.respond(first.id, error: nil, value: []))] + written.flatMap { echo($0) }
      + responses.flatMap { follow($0, at: now) }
  }

  /// Updates the characteristics that echo `source`.
  private mutating func echo(_ source: CharacteristicID) -> [Action] {
    guard let written = characteristic(source), let value = values[source] else { return [] }
    var actions: [Action] = []
    for (index, target) in profile.services[source.service.rawValue].characteristics.enumerated() {
      guard case .echo(let echo) = target.behavior else { continue }
      let id = CharacteristicID(service: source.service, index: index)
      guard echo.source.map({ $0 == written.definition.uuid }) ?? (id == source) else { continue }
      values[id] = value
      if hasSubscribers(id) { actions += update(id, value) }
    }
    return actions
  }
}

/// A request with one response.
enum AppRequest: Hashable, Sendable {
  case read(ReadRequest)
  /// The first of the writes, whose identifier the response has, and the others.
  case write(WriteRequest, [WriteRequest])

  var id: RequestID {
    switch self {
    case .read(let request): request.id
    case .write(let first, _): first.id
    }
  }

  var characteristics: [CharacteristicID] {
    switch self {
    case .read(let request): [request.characteristic]
    case .write(let first, let others): [first.characteristic] + others.map(\.characteristic)
    }
  }
}

/// A request whose response is delayed.
struct DelayedRequest: Hashable, Sendable {
  let request: AppRequest
  /// The time of the response, since the launch of the app.
  let due: Duration
}
