/// Ownership of bus names.
extension DBusConnection {
  /// The unique name of the connection that owns `name`; nil if the name has no owner.
  package func owner(of name: BusName) async throws(DBusFailure) -> BusName? {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<BusName?, DBusFailure>, Never>) in
      startFindingOwner(of: name) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Like `owner(of:)`, with `completion` run in the bus's message order.
  package func startFindingOwner(
    of name: BusName, _ completion: @escaping @Sendable (Result<BusName?, DBusFailure>) -> Void
  ) {
    start(.toBus("GetNameOwner", [.string(name.rawValue)])) { result in
      switch result {
      case .success(let values): completion(.success(values.first?.text.flatMap { BusName($0) }))
      case .failure(.remote(let error)) where error.name == .nameHasNoOwner: completion(.success(nil))
      case .failure(let failure): completion(.failure(failure))
      }
    }
  }

  /// Requests a well-known name without queueing for the name; returns whether this connection owns the name now.
  package func request(_ name: BusName) async throws(DBusFailure) -> Bool {
    // DBUS_NAME_FLAG_DO_NOT_QUEUE; 1 is DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER, 4 is "already".
    let answer = try await call(.toBus("RequestName", [.string(name.rawValue), .uint32(4)]))
    return answer.first?.unsigned == 1 || answer.first?.unsigned == 4
  }
}

extension MethodCall {
  /// A method call to the bus itself.
  package static func toBus(_ member: MemberName, _ arguments: [DBusValue] = []) -> MethodCall {
    MethodCall(destination: .bus, path: .bus, interface: .bus, member: member, arguments: arguments)
  }
}
