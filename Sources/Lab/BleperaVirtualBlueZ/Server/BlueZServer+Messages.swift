import BleperaDBus
import BleperaLoop

/// Replies, calls to client programs, and their signals.
extension BlueZServer {
  func reply(_ call: IncomingCall, _ result: Result<[DBusValue], DBusErrorReply>) {
    flush()
    connection.assumeIsolated { $0.reply(to: call, result) }
  }

  func refuse(_ call: IncomingCall, _ error: DBusErrorReply) { reply(call, .failure(error)) }

  /// Calls a client program.
  func call(
    _ owner: BusName, _ member: MemberName, of interface: InterfaceName, at path: ObjectPath,
    with arguments: [DBusValue] = [], expectsReply: Bool = true, timeout: Duration = .seconds(25),
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

  /// Subscribes to a program's signals of one interface, at a path and below, until `unfollow` is called.
  func follow(
    _ owner: BusName, of interface: InterfaceName, at path: ObjectPath,
    _ handler: @escaping @Sendable (isolated BlueZServer, Signal) -> Void,
    token: @escaping @Sendable (isolated BlueZServer, Int) -> Void
  ) {
    // RemoveMatch in dbus-daemon treats rules that differ only in path_namespace as equal and removes the last, so the
    // path is checked here.
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
      // The bus is lost, so no signals can arrive.
    }
  }

  func unfollow(_ tokens: [Int]) {
    connection.assumeIsolated { connection in for token in tokens { connection.unsubscribe(token) } }
  }
}
