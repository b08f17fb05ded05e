import DBus

/// An Agent1 of a program.
struct RegisteredAgent: Sendable {
  let path: ObjectPath
  let capability: PairingCapability
}
