/// The error that a method call is answered with: its name is for programs, its message for people.
package struct DBusErrorReply: Error, Hashable, Sendable {
  package var name: ErrorName
  /// Empty where the error came with no string as its first argument.
  package var message: String

  package init(name: ErrorName, message: String) {
    self.name = name
    self.message = message
  }
}

extension DBusErrorReply: CustomStringConvertible {
  package var description: String { message.isEmpty ? name.rawValue : "\(name): \(message)" }
}
