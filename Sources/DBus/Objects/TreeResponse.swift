/// What the object tree knows to say to a method call.
package enum TreeResponse: Hashable, Sendable {
  /// Answer with these.
  case reply([DBusValue])
  case refuse(DBusErrorReply)
  /// Properties.Set, already checked: the owner takes it (`ObjectTree.apply`, then an empty reply) or refuses it.
  case set(PropertyChange)
}
