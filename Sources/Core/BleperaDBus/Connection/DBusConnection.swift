package import BleperaEventLoop
import BleperaLoop
import CBleperaDBus

/// A connection to a message bus: outgoing and incoming method calls, signals and name ownership.
///
/// Handlers run on the loop's thread while their message is dispatched, so their order is the bus's order; a handler
/// enters an actor of the same loop with `assumeIsolated`.
package actor DBusConnection: LoopActor {
  package typealias Completion = @Sendable (Result<[DBusValue], DBusFailure>) -> Void

  private struct PendingCall {
    let deadline: EventSource
    let completion: Completion
  }

  private struct SignalHandler {
    let rule: MatchRule
    let body: @Sendable (Signal, BusName?) -> Void

    /// Signals of the bus carry its own name; a copy forged by another connection carries that connection's name.
    func takes(_ signal: Signal, _ sender: BusName?) -> Bool {
      rule.matches(signal, sender: sender, owner: rule.sender == .bus ? nil : sender)
    }
  }

  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }
  /// This connection's unique name, such as `:1.42`; nil until `open` has returned.
  package private(set) var uniqueName: BusName?

  private var transport: Transport?
  private var pending: [UInt32: PendingCall] = [:]
  private var handlers: [Int: SignalHandler] = [:]
  /// The number of handlers of each rule.
  private var ruleUses: [String: Int] = [:]
  private var exports: [ObjectPath: @Sendable (IncomingCall) -> Void] = [:] { didSet { found = [:] } }
  /// The handlers of the paths that were called last, until `exports` changes.
  private var found: [ObjectPath: @Sendable (IncomingCall) -> Void] = [:]
  /// The size limit of `found`: more paths than programs call in turn, because a program may invent any number.
  private static let mostFound = 4096
  private var disconnectHandlers: [@Sendable () -> Void] = []
  private var nextHandler = 0

  private init(loop: EventLoop) { self.loop = loop }

  isolated deinit { close() }

  /// Connects, authenticates and calls Hello.
  package static func open(
    _ address: BusAddress, on loop: EventLoop, timeout: Duration = .seconds(10)
  ) async throws(DBusFailure) -> DBusConnection {
    let connection = DBusConnection(loop: loop)
    try await connection.connect(to: address, timeout: timeout)
    return connection
  }

  private func connect(to address: BusAddress, timeout: Duration) async throws(DBusFailure) {
    transport = unsafe try Transport(address: address, loop: loop) { [weak self] message in
      nonisolated(unsafe) let message = unsafe message  // borrowed, and used before the closure returns
      self?.assumeIsolated { unsafe $0.receive(message) }
    }
    let hello: [DBusValue]
    do {
      hello = try await call(.toBus("Hello"), timeout: timeout)
    } catch {
      close()
      guard case .remote = error else {
        throw .cannotConnect(address: address, reason: "\(error)")
      }
      throw error
    }
    guard let text = hello.first?.text, let name = BusName(text) else {
      close()
      throw .cannotConnect(address: address, reason: "the answer to Hello holds no name")
    }
    uniqueName = name
    transport?.setUniqueName(text)
  }

  /// Sends queued messages, closes, and fails every pending call with `disconnected`. Has no effect when repeated.
  package func close() {
    guard let transport else { return }
    self.transport = nil
    transport.close()
    let ended = pending.sorted { $0.key < $1.key }
    pending = [:]
    for (_, call) in ended {
      call.deadline.cancel()
      call.completion(.failure(.disconnected))
    }
    let handlers = disconnectHandlers
    disconnectHandlers = []
    for handler in handlers { handler() }
  }

  /// The queued bytes that are not yet written to the bus.
  package var outgoingSize: Int { transport?.outgoingSize ?? 0 }

  /// Runs `handler` once when the connection is lost or closed; at once if the connection is closed already.
  package func onDisconnect(_ handler: @escaping @Sendable () -> Void) {
    guard transport != nil else { return handler() }
    disconnectHandlers.append(handler)
  }

  // MARK: Calls out

  /// Calls and waits for the reply; cancelling the task abandons the call.
  package func call(
    _ call: MethodCall, timeout: Duration = .seconds(25)
  ) async throws(DBusFailure) -> [DBusValue] {
    let cancellation = Cancellation()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<[DBusValue], DBusFailure>, Never>) in
        guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
        cancellation.serial = start(call, timeout: timeout) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      Task { await self.cancel(cancellation) }
    }
    return try result.get()
  }

  /// Calls and runs `completion` in the bus's order: before any later message on the connection is handled.
  ///
  /// A call that cannot be sent, or that expects no reply, completes before this method returns.
  @discardableResult
  package func start(
    _ call: MethodCall, timeout: Duration = .seconds(25), _ completion: @escaping Completion
  ) -> UInt32? {
    let serial: UInt32
    do {
      serial = try send(.methodCall(call))
    } catch {
      completion(.failure(error))
      return nil
    }
    guard call.expectsReply else {
      completion(.success([]))
      return nil
    }
    let deadline = loop.schedule(after: timeout) { [weak self] in
      self?.assumeIsolated { $0.finish(serial, .failure(.timedOut(timeout))) }
    }
    pending[serial] = PendingCall(deadline: deadline, completion: completion)
    return serial
  }

  private func cancel(_ cancellation: Cancellation) {
    guard let serial = cancellation.serial else { return }
    finish(serial, .failure(.cancelled))
  }

  private func finish(_ serial: UInt32, _ result: Result<[DBusValue], DBusFailure>) {
    // A late reply, or the reply to an abandoned call, has no entry.
    guard let call = pending.removeValue(forKey: serial) else { return }
    call.deadline.cancel()
    call.completion(result)
  }

  // MARK: Calls in

  /// Passes every call to `path` or below to `handler`; the longest path wins. Each path has one handler.
  package func export(at path: ObjectPath, _ handler: @escaping @Sendable (IncomingCall) -> Void) {
    exports[path] = handler
  }

  package func unexport(at path: ObjectPath) { exports[path] = nil }

  /// Replies to a call; has no effect if the caller expects no reply or the connection is closed.
  package func reply(to call: IncomingCall, _ result: Result<[DBusValue], DBusErrorReply>) {
    guard call.call.expectsReply, let sender = call.sender else { return }
    do {
      switch result {
      case .success(let values):
        try send(.methodReturn(MethodReturn(destination: sender, replySerial: call.serial, arguments: values)))
      case .failure(let error):
        try send(.error(ErrorMessage(destination: sender, replySerial: call.serial, reply: error)))
      }
    } catch {
      // The reply cannot be sent; an error keeps the caller from waiting in vain.
      let reply: DBusErrorReply
      switch error {
      case .refused(let refusal): reply = DBusErrorReply(name: .limitsExceeded, message: "\(refusal)")
      case .remote(let error): reply = error
      case .cannotConnect, .disconnected, .timedOut, .cancelled: return
      }
      _ = try? send(.error(ErrorMessage(destination: sender, replySerial: call.serial, reply: reply)))
    }
  }

  // MARK: Signals

  package func emit(_ signal: Signal) throws(DBusFailure) { try send(.signal(signal)) }

  /// Subscribes to the signals that match `rule` and runs `handler` for each; pass the token to `unsubscribe`.
  ///
  /// Signals carry unique names, so a rule with a well-known sender also matches signals of other senders that arrive
  /// because of another rule: `handler` must compare the sender with the known owner.
  ///
  /// Equal rules are one rule of the bus, which limits the rules of a connection (512 on a stock system bus).
  package func subscribe(
    to rule: MatchRule, _ handler: @escaping @Sendable (Signal, BusName?) -> Void
  ) async throws(DBusFailure) -> Int {
    nextHandler += 1
    let token = nextHandler
    ruleUses[rule.text, default: 0] += 1
    let isNew = ruleUses[rule.text] == 1
    handlers[token] = SignalHandler(rule: rule, body: handler)
    guard isNew else { return token }
    do {
      _ = try await call(.toBus("AddMatch", [.string(rule.text)]))
    } catch {
      if handlers.removeValue(forKey: token) != nil { release(rule) }
      throw error
    }
    return token
  }

  package func unsubscribe(_ token: Int) {
    guard let handler = handlers.removeValue(forKey: token), release(handler.rule) else { return }
    start(.toBus("RemoveMatch", [.string(handler.rule.text)])) { _ in }
  }

  /// - Returns: whether no handler uses the rule any more.
  @discardableResult
  private func release(_ rule: MatchRule) -> Bool {
    let rest = ruleUses[rule.text, default: 1] - 1
    ruleUses[rule.text] = rest == 0 ? nil : rest
    return rest == 0
  }

  // MARK: Messages

  @discardableResult
  private func send(_ message: Message) throws(DBusFailure) -> UInt32 {
    guard let transport else { throw .disconnected }
    let encoded = unsafe try MessageCoder.encode(message, canSendFileDescriptors: transport.canSendFileDescriptors)
    guard let serial = unsafe transport.send(encoded) else { throw .disconnected }
    return serial
  }

  private func receive(_ pointer: OpaquePointer) {
    let received: IncomingMessage
    do {
      received = unsafe try MessageCoder.decode(pointer)
    } catch {
      // libdbus accepts the message and our types do not: return an error to its caller, or to our pending call.
      return unsafe refuse(pointer, cause: error.cause)
    }
    switch received.message {
    case .methodReturn(let reply): finish(reply.replySerial, .success(reply.arguments))
    case .error(let reply): finish(reply.replySerial, .failure(.remote(reply.reply)))
    case .signal(let signal):
      if signal.interface == .local, signal.member == "Disconnected" { return close() }
      let ordered = handlers.sorted { $0.key < $1.key }
      for (token, handler) in ordered where handler.takes(signal, received.sender) {
        // An earlier handler may have unsubscribed this one.
        guard handlers[token] != nil else { continue }
        handler.body(signal, received.sender)
      }
    case .methodCall(let call):
      deliver(IncomingCall(sender: received.sender, serial: received.serial, call: call))
    }
  }

  private func deliver(_ incoming: IncomingCall) {
    if let handler = found[incoming.call.path] { return handler(incoming) }
    var path: ObjectPath? = incoming.call.path
    while let candidate = path {
      if let handler = exports[candidate] {
        if found.count == Self.mostFound { found = [:] }
        found[incoming.call.path] = handler
        return handler(incoming)
      }
      path = candidate.parent
    }
    reply(to: incoming, .failure(DBusErrorReply(name: .unknownObject, message: "no object at \(incoming.call.path)")))
  }

  private func refuse(_ pointer: OpaquePointer, cause: String) {
    let error = DBusErrorReply(name: .invalidArgs, message: "the message holds \(cause)")
    switch unsafe MessageCoder.correspondence(of: pointer) {
    case .answer(let serial): finish(serial, .failure(.remote(error)))
    case .call(let serial, let sender):
      _ = try? send(.error(ErrorMessage(destination: sender, replySerial: serial, reply: error)))
    case .nobody: break
    }
  }
}

/// The serial of a call that may be cancelled, known once it is sent.
private final class Cancellation: @unchecked Sendable {  // used on the connection's executor only
  var serial: UInt32?
}
