import AppLink
import GATT
import Profile

/// Reads and writes, and what they are answered with.
extension ProfileMachine {
  /// Answers at once, or when the slowest characteristic that it concerns has taken its time.
  mutating func take(_ request: AppRequest, at now: Duration) -> [Action] {
    let delay = request.characteristics.compactMap { characteristic($0)?.answerDelay }.max() ?? .zero
    guard delay > .zero else { return answer(request, at: now) }
    guard !pending.contains(where: { $0.request.id == request.id }) else { return [] }
    let answer = PendingAnswer(request: request, due: now + delay)
    pending.insert(answer, at: pending.firstIndex { $0.due > answer.due } ?? pending.endIndex)
    return [.schedule(.answer(request.id), at: answer.due)]
  }

  /// Also answers what was due before, so that the order does not depend on that of timers.
  mutating func answerPending(through id: RequestID, at now: Duration) -> [Action] {
    guard let last = pending.firstIndex(where: { $0.request.id == id }) else { return [] }
    let answers = pending[...last]
    pending.removeSubrange(...last)
    let unscheduled = answers.dropLast().map { Action.unschedule(.answer($0.request.id)) }
    return unscheduled + answers.flatMap { answer($0.request, at: now) }
  }

  private mutating func answer(_ request: AppRequest, at now: Duration) -> [Action] {
    switch request {
    case .read(let request): [read(request, at: now)]
    case .write(let first, let others): write(first, others)
    }
  }

  private func read(_ request: ReadRequest, at now: Duration) -> Action {
    do throws(ATTError) {
      guard characteristic(request.characteristic) != nil else { throw .attributeNotFound }
      let value = try AttributeValue.slice(value(of: request.characteristic, at: now), from: request.offset)
      return .send(.respond(request.id, error: nil, value: value))
    } catch {
      return .send(.respond(request.id, error: error, value: []))
    }
  }

  private func value(of id: CharacteristicID, at now: Duration) -> [UInt8] {
    guard let generator = generator(id) else { return values[id] ?? [] }
    return generator.value(step: Self.step(of: generator, at: now), seed: seed(for: id))
  }

  /// All of them or none, as Core Bluetooth asks of an app.
  private mutating func write(_ first: WriteRequest, _ others: [WriteRequest]) -> [Action] {
    let requests = [first] + others
    var new = values
    do throws(ATTError) {
      for request in requests {
        let id = request.characteristic
        guard characteristic(id) != nil else { throw .attributeNotFound }
        new[id] = try AttributeValue.writing(request.value, at: request.offset, to: new[id] ?? [])
      }
    } catch {
      return [.send(.respond(first.id, error: error, value: []))]
    }
    values = new
    var written: [CharacteristicID] = []
    for request in requests where !written.contains(request.characteristic) { written.append(request.characteristic) }
    return [.send(.respond(first.id, error: nil, value: []))] + written.flatMap { echo($0) }
  }

  /// Passes what was written to the characteristics that repeat it.
  private mutating func echo(_ source: CharacteristicID) -> [Action] {
    guard let written = characteristic(source), let value = values[source] else { return [] }
    var actions: [Action] = []
    for (id, target) in characteristics where id.service == source.service {
      guard case .echo(let echo) = target.behavior else { continue }
      guard echo.source.map({ $0 == written.definition.uuid }) ?? (id == source) else { continue }
      values[id] = value
      if hasSubscribers(id) { actions.append(update(id, value)) }
    }
    return actions
  }
}
