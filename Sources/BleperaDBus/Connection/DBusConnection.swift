import CBleperaDBus
package import BleperaEventLoop
import BleperaLoop

/// A connection to a message bus: calls out, calls in, signals and who owns which name.
///
/// Handlers run on the loop's thread inside the dispatch of their message, so their order is the bus's order; an
/// actor of the same loop enters itself from one with `assumeIsolated`.
package actor DBusConnection {
  package typealias Completion = @Sendable (Result<[DBusValue], DBusFailure>) -> Void

  private struct PendingCall {
    let deadline: EventSource
    let completion: Completion
  }

  private struct SignalHandler {
    let rule: MatchRule
    let body: @Sendable (Signal, BusName?) -> Void

    /// The bus signs its own signals with its name; anyone can send us a copy of one with a name of their own.
    func takes(_ signal: Signal, _ sender: BusName?) -> Bool {
      rule.matches(signal, sender: sender, owner: rule.sender == .bus ? nil : sender)
    }
  }

  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  /// Our name on the bus, `:1.42`; nil until `open` has returned.
  package private(set) var uniqueName: BusName?

  private var transport: Transport?
  private var pending: [UInt32: PendingCall] = [:]
  private var handlers: [Int: SignalHandler] = [:]
  private var exports: [ObjectPath: @Sendable (IncomingCall) -> Void] = [:]
  private var disconnectHandlers: [@Sendable () -> Void] = []
  private var nextHandler = 0

  private init(loop: EventLoop) { self.loop = loop }

  isolated deinit { close() }

  /// Connects, authenticates and says Hello.
  package static func open(
    _ address: BusAddress, on loop: EventLoop, timeout: Duration = .seconds(10)
  ) async throws(DBusFailure) -> DBusConnection {
    let connection = DBusConnection(loop: loop)
    try await connection.connect(to: address, timeout: timeout)
    return connection
  }

  private func connect(to address: BusAddress, timeout: Duration) async throws(DBusFailure) {
    transport = unsafe try Transport(address: address, loop: loop) { [weak self] message in
      nonisolated(unsafe) let message = unsafe message  // borrowed, and used before this returns
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

  /// Sends what is queued, closes and fails every pending call with `disconnected`. Harmless when repeated.
  package func close() {
    guard let transport else { return }
    self.transport = nil
    transport.close()
    let pending = pending
    self.pending = [:]
    for (_, call) in pending.sorted(by: { $0.key < $1.key }) {
      call.deadline.cancel()
      call.completion(.failure(.disconnected))
    }
    let handlers = disconnectHandlers
    disconnectHandlers = []
    for handler in handlers { handler() }
  }

  /// The bytes that are queued and not yet taken by the bus.
  package var outgoingSize: Int { transport?.outgoingSize ?? 0 }

  /// Runs `handler` once, on a later turn of the loop, when fewer than `size` bytes are queued; never where the
  /// connection ends before. One handler at a time: a later one takes the place of an earlier one.
  package func whenDrained(below size: Int, _ handler: @escaping @Sendable () -> Void) {
    transport?.whenDrained(below: max(1, size), handler)
  }

  /// Runs `handler` once when the connection is lost or closed; at once where it already is.
  package func onDisconnect(_ handler: @escaping @Sendable () -> Void) {
    guard transport != nil else { return handler() }
    disconnectHandlers.append(handler)
  }

  // MARK: Calls out

  /// Calls and waits for the answer; cancelling the task abandons the call.
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

  /// Calls and runs `completion` in the bus's order: before any later message of the connection is handled.
  ///
  /// A call that cannot be sent, or that wants no answer, completes before this returns.
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
    // A late answer, or one to a call that was abandoned, has no entry any more.
    guard let call = pending.removeValue(forKey: serial) else { return }
    call.deadline.cancel()
    call.completion(result)
  }

  // MARK: Calls in

  /// Sends every call to `path` or below it to `handler`; the longest path wins. One handler a path.
  package func export(at path: ObjectPath, _ handler: @escaping @Sendable (IncomingCall) -> Void) {
    exports[path] = handler
  }

  package func unexport(at path: ObjectPath) { exports[path] = nil }

  /// Answers a call; without effect where the caller wants no answer or the connection is gone.
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
      // Our own answer cannot be sent; its caller must not wait for nothing.
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

  /// Asks the bus for the signals of `rule` and runs `handler` for each; the token ends it.
  ///
  /// Signals carry unique names, so a rule for a well-known sender lets every sender's through that another rule has
  /// brought here: `handler` compares the sender with the owner that it knows.
  package func subscribe(
    to rule: MatchRule, _ handler: @escaping @Sendable (Signal, BusName?) -> Void
  ) async throws(DBusFailure) -> Int {
    nextHandler += 1
    let token = nextHandler
    handlers[token] = SignalHandler(rule: rule, body: handler)
    do {
      _ = try await call(.toBus("AddMatch", [.string(rule.text)]))
    } catch {
      handlers[token] = nil
      throw error
    }
    return token
  }

  package func unsubscribe(_ token: Int) {
    guard let handler = handlers.removeValue(forKey: token) else { return }
    start(.toBus("RemoveMatch", [.string(handler.rule.text)])) { _ in }
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
      // libdbus let it through and our types do not take it: its caller hears so, a waiter of ours too.
      return unsafe refuse(pointer, cause: error.cause)
    }
    switch received.message {
    case .methodReturn(let reply): finish(reply.replySerial, .success(reply.arguments))
    case .error(let reply): finish(reply.replySerial, .failure(.remote(reply.reply)))
    case .signal(let signal):
      if signal.interface == .local, signal.member == "Disconnected" { return close() }
      for (token, handler) in handlers.sorted(by: { $0.key < $1.key }) where handler.takes(signal, received.sender) {
        // One that ran before it may have ended it.
        guard handlers[token] != nil else { continue }
        handler.body(signal, received.sender)
      }
    case .methodCall(let call):
      deliver(IncomingCall(sender: received.sender, serial: received.serial, call: call))
    }
  }

  private func deliver(_ incoming: IncomingCall) {
    var path: ObjectPath? = incoming.call.path
    while let candidate = path {
      if let handler = exports[candidate] { return handler(incoming) }
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
