import BleperaBlueZProtocol
package import BleperaDBus

extension MethodCall {
  static func toDaemon(
    at path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = []
  ) -> MethodCall {
    MethodCall(destination: BlueZName.bus, path: path, interface: interface, member: member, arguments: arguments)
  }

  /// Requests all objects of bluetoothd.
  package static let managedObjects = toDaemon(at: .root, .objectManager, "GetManagedObjects")

  package static func power(_ adapter: ObjectPath, isOn: Bool) -> MethodCall {
    toDaemon(
      at: adapter, .properties, "Set",
      [.string(BlueZName.adapter.rawValue), .string("Powered"), .variant(.boolean(isOn))])
  }
}
