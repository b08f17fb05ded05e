/// The messages that a connection subscribes to on the bus (D-Bus specification, "Match Rules").
package struct MatchRule: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case methodCall = "method_call"
    case methodReturn = "method_return"
    case error
    case signal
  }

  /// The value of an argument that is a string (`argN`), or a string or path (`argNpath`).
  package enum Argument: Hashable, Sendable {
    case equal(String)
    /// Matches an equal value, or if either ends with a slash and is a prefix of the other.
    case path(String)
  }

  /// The indices of the arguments that a rule can match.
  package static let argumentIndices = 0..<64

  package var type: Kind?
  package var sender: BusName?
  package var interface: InterfaceName?
  package var member: MemberName?
  package var path: ObjectPath?
  /// Matches this path and all paths below; the bus refuses a rule that has `path` as well.
  package var pathNamespace: ObjectPath?
  package var destination: BusName?
  /// The matched arguments by index; indices outside `argumentIndices` are ignored.
  package var arguments: [Int: Argument]
  /// Matches a first argument that is this name or begins with it and a period; one element (`org`) is allowed.
  package var arg0namespace: String?

  package init(
    type: Kind? = .signal, sender: BusName? = nil, interface: InterfaceName? = nil, member: MemberName? = nil,
    path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil, destination: BusName? = nil,
    arg0: String? = nil, arguments: [Int: Argument] = [:], arg0namespace: String? = nil
  ) {
    self.type = type
    self.sender = sender
    self.interface = interface
    self.member = member
    self.path = path
    self.pathNamespace = pathNamespace
    self.destination = destination
    self.arguments = arguments
    self.arg0namespace = arg0namespace
    if let arg0 { self.arguments[0] = .equal(arg0) }
  }

  /// The argument of AddMatch and RemoveMatch; equal rules have equal texts.
  package var text: String {
    var pairs: [(key: String, value: String?)] = [
      ("type", type?.rawValue), ("sender", sender?.rawValue), ("interface", interface?.rawValue),
      ("member", member?.rawValue), ("path", path?.rawValue), ("path_namespace", pathNamespace?.rawValue),
      ("destination", destination?.rawValue),
    ]
    for (index, argument) in countedArguments {
      switch argument {
      case .equal(let value): pairs.append(("arg\(index)", value))
      case .path(let value): pairs.append(("arg\(index)path", value))
      }
    }
    pairs.append(("arg0namespace", arg0namespace))
    return pairs.compactMap { key, value in value.map { "\(key)='\(Self.escape($0))'" } }.joined(separator: ",")
  }

  /// Whether the bus would send the signal for this rule. A signal carries its sender's unique name, so a rule with a
  /// well-known sender needs `owner`, the unique name of the current owner.
  package func matches(_ signal: Signal, sender: BusName?, owner: BusName? = nil) -> Bool {
    guard type == nil || type == .signal else { return false }
    if let wanted = self.sender {
      guard let sender, sender == wanted || (sender == owner && !wanted.isUnique) else { return false }
    }
    guard interface == nil || interface == signal.interface, member == nil || member == signal.member,
      path == nil || path == signal.path, destination == nil || destination == signal.destination
    else { return false }
    if let pathNamespace, pathNamespace != signal.path && !pathNamespace.isAncestor(of: signal.path) { return false }
    if let arg0namespace {
      guard let name = signal.arguments.first?.text else { return false }
      guard name == arg0namespace || name.utf8.starts(with: (arg0namespace + ".").utf8) else { return false }
    }
    return countedArguments.allSatisfy { index, wanted in
      signal.arguments.indices.contains(index) && Self.matches(signal.arguments[index], wanted)
    }
  }

  private var countedArguments: [(key: Int, value: Argument)] {
    arguments.filter { Self.argumentIndices.contains($0.key) }.sorted { $0.key < $1.key }
  }

  private static func matches(_ argument: DBusValue, _ wanted: Argument) -> Bool {
    switch wanted {
    case .equal(let value): return argument == .string(value)
    case .path(let value):
      guard let found = argument.text ?? argument.path?.rawValue else { return false }
      let (wanted, other) = (value.utf8, found.utf8)
      return wanted.elementsEqual(other) || (wanted.last == UInt8(ascii: "/") && other.starts(with: wanted))
        || (other.last == UInt8(ascii: "/") && wanted.starts(with: other))
    }
  }

  /// Apostrophes cannot appear inside quotes, and a backslash escapes them only outside quotes.
  private static func escape(_ value: String) -> String {
    value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
  }
}
