import BleperaBluetooth

/// An application of services of a host, numbered by the caller.
package struct ApplicationID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A characteristic or descriptor of an application.
package struct ApplicationObject: Hashable, Comparable, Sendable {
  package let application: ApplicationID
  /// The application's number for the object.
  package let index: Int

  package init(_ application: ApplicationID, _ index: Int) {
    self.application = application
    self.index = index
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.application, left.index) < (right.application, right.index)
  }
}

/// A request that waits for an application's response; each host assigns a number once.
package struct AttributeRequestID: Hashable, Sendable {
  let link: ConnectionID
  let number: Int
}

/// An operation of a central, numbered by the caller.
package struct OperationID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
