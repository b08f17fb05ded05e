package import DBus

/// An application that a program has registered, or is about to.
package struct RegisteredApplication: Sendable {
  /// A characteristic or descriptor of it.
  package struct Object: Sendable {
    package let path: ObjectPath
    let isDescriptor: Bool
    /// Whether the property is there, whatever its value.
    let canAcquireNotify: Bool
    /// Whether the property is there and 0, so that the program is told.
    let wantsHandle: Bool
  }

  let owner: BusName
  let root: ObjectPath
  let adapter: AdapterID
  /// To be answered; nil afterwards.
  var call: IncomingCall?
  /// By the number that the air knows them by.
  var objects: [Object] = []
  var services: [(path: ObjectPath, wantsHandle: Bool)] = []
  /// The descriptors that AcquireNotify gave, by characteristic and central.
  var sockets: [Int: [DeviceAddress: SequencedSocket]] = [:]
  /// Where StartNotify was called, so that StopNotify is due.
  var started: Set<Int> = []
  /// The tokens of its signals.
  var tokens: [Int] = []
}
