import DBus

/// The calls of bluetoothd: to the pairing agent, to applications and to advertisements.
extension Peripheral {
  func reply(_ call: IncomingCall, _ result: Result<[DBusValue], DBusErrorReply>) {
    connection.assumeIsolated { $0.reply(to: call, result) }
  }

  func receive(_ call: IncomingCall) {
    guard let daemon, call.sender == daemon else {
      return reply(
        call, .failure(DBusErrorReply(name: .accessDenied, message: "only the owner of org.bluez may call")))
    }
    let path = call.call.path
    if path == Self.agentPath {
      respond(to: call, as: Self.agentTree) { $0.answer(call) }
    } else if let (number, application) = applications.first(where: { path.isInside($0.value.root) }) {
      respond(to: call, as: application.tree) { $0.receive(call, number, application) }
    } else if let (number, entry) = advertisements.first(where: { path == self.path(.advertisement($0.key)) }) {
      respond(to: call, as: entry.tree) { this in
        // Release: bluetoothd has dropped it.
        this.reply(call, .success([]))
        this.run(.released(.advertisement(number)))
      }
    } else {
      reply(call, .failure(DBusErrorReply(name: .unknownObject, message: "no object at \(path)")))
    }
  }

  private func respond(to call: IncomingCall, as tree: ObjectTree, _ own: (isolated Peripheral) -> Void) {
    switch tree.respond(to: call.call) {
    case .reply(let values): reply(call, .success(values))
    case .refuse(let error): reply(call, .failure(error))
    // Handles are what we asked for, and the power of the controller is its own: nothing to keep.
    case .set: reply(call, .success([]))
    case nil: own(self)
    }
  }

  private static let agentTree: ObjectTree = {
    var tree = ObjectTree()
    tree.declare(agentPath, .agent)
    return tree
  }()

  // MARK: Pairing

  func registerAgent() {
    let calls: [(MemberName, [DBusValue])] = [
      ("RegisterAgent", [.objectPath(Self.agentPath), .string(options.pairing.capability)]),
      ("RequestDefaultAgent", [.objectPath(Self.agentPath)]),
    ]
    connection.assumeIsolated { connection in
      for (member, arguments) in calls {
        let call = MethodCall(
          destination: BlueZName.bus, path: BlueZName.root, interface: BlueZName.agentManager, member: member,
          arguments: arguments)
        connection.start(call) { [weak self] result in
          guard case .failure(let failure) = result else { return }
          self?.assumeIsolated { if $0.daemon != nil { $0.tell(.agentFailed(failure)) } }
        }
      }
    }
  }

  private func answer(_ call: IncomingCall) {
    let answer = options.pairing.answer(to: call.call.member, call.call.arguments)
    switch answer {
    case .accept, .acknowledge: break
    case .show(let device, let passkey): tell(.passkey(self.device(at: device), passkey))
    case .reject:
      if let device = call.call.arguments.first?.path { tell(.pairingRefused(self.device(at: device))) }
      return reply(call, .failure(BlueZError.rejected.reply("blepera refuses to pair")))
    }
    reply(call, .success([]))
  }
}

extension ObjectPath {
  fileprivate func isInside(_ root: ObjectPath) -> Bool { self == root || root.isAncestor(of: self) }
}
