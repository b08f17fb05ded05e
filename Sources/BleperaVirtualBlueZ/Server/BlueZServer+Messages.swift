import BleperaAir
import BleperaDBus

/// Answers, calls to the programs that are our clients, and their signals.
extension BlueZServer {
  func reply(_ call: IncomingCall, _ result: Result<[DBusValue], DBusErrorReply>) {
    flush()
    connection.assumeIsolated { $0.reply(to: call, result) }
  }

  func refuse(_ call: IncomingCall, _ error: DBusErrorReply) { reply(call, .failure(error)) }

  /// Calls a program that is our client.
  func call(
    _ owner: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
    _ arguments: [DBusValue] = [], expectsReply: Bool = true, timeout: Duration = .seconds(25),
    _ completion: @escaping @Sendable (isolated BlueZServer, Result<[DBusValue], DBusFailure>) -> Void = { _, _ in }
  ) {
    flush()
    let call = MethodCall(
      destination: owner, path: path, interface: interface, member: member, arguments: arguments,
      expectsReply: expectsReply)
    connection.assumeIsolated { connection in
      _ = connection.start(call, timeout: timeout) { [weak self] result in
        self?.assumeIsolated { completion($0, result) }
      }
    }
  }

  /// Hears the signals of one interface from a program, at a path and below it, until the tokens are given back.
  func follow(
    _ owner: BusName, _ path: ObjectPath, _ interface: InterfaceName,
    _ handler: @escaping @Sendable (isolated BlueZServer, Signal) -> Void,
    token: @escaping @Sendable (isolated BlueZServer, Int) -> Void
  ) {
    // dbus-daemon takes rules that differ in their path_namespace alone for the same when one is given back, and drops
    // the last, so the path is looked at here.
    let rule = MatchRule(sender: owner, interface: interface)
    let inside: @Sendable (isolated BlueZServer, Signal) -> Void = { this, signal in
      if signal.path == path || path.isAncestor(of: signal.path) { handler(this, signal) }
    }
    Task { await follow(rule, inside, token: token) }
  }

  private func follow(
    _ rule: MatchRule, _ handler: @escaping @Sendable (isolated BlueZServer, Signal) -> Void,
    token: @Sendable (isolated BlueZServer, Int) -> Void
  ) async {
    do throws(DBusFailure) {
      let number = try await connection.subscribe(to: rule) { [weak self] signal, _ in
        self?.assumeIsolated { handler($0, signal) }
      }
      token(self, number)
    } catch {
      // The bus is gone, and so is whoever would have sent.
    }
  }

  func unfollow(_ tokens: [Int]) {
    connection.assumeIsolated { connection in for token in tokens { connection.unsubscribe(token) } }
  }
}
