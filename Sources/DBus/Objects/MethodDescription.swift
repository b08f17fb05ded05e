/// What a method takes and gives, as in `MethodDescription("ReadValue", in: ["options": "a{sv}"], out: ["value": "ay"])`.
package struct MethodDescription: Hashable, Sendable {
  package let name: MemberName
  package let inputs: [ArgumentDescription]
  package let outputs: [ArgumentDescription]
  /// Annotated `org.freedesktop.DBus.Method.NoReply`: callers are told to expect none.
  package let isNoReply: Bool

  package init(
    _ name: MemberName, in inputs: KeyValuePairs<String, DBusType> = [:],
    out outputs: KeyValuePairs<String, DBusType> = [:], noReply: Bool = false
  ) {
    self.name = name
    self.inputs = [ArgumentDescription](inputs)
    self.outputs = [ArgumentDescription](outputs)
    isNoReply = noReply
  }

  /// Whether these are of the types, and of the number, that the method takes.
  package func takes(_ arguments: [DBusValue]) -> Bool {
    arguments.count == inputs.count && zip(arguments, inputs).allSatisfy { $0.isOf($1.type) }
  }
}
