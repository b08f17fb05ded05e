/// An adapter of the air: 0 is `hci0`.
package struct AdapterID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  package var description: String { "hci\(number)" }
}

/// An advertisement that was given to an adapter; the caller's number.
package struct AdvertisementID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// An application of services that was given to an adapter; the caller's number.
package struct ApplicationID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A characteristic or descriptor of an application.
package struct ApplicationObject: Hashable, Comparable, Sendable {
  package let application: ApplicationID
  /// The number that the application has given it.
  package let index: Int

  package init(_ application: ApplicationID, _ index: Int) {
    self.application = application
    self.index = index
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.application, left.index) < (right.application, right.index)
  }
}

/// A link between two adapters; the air's number, never given twice.
package struct ConnectionID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// What an application is asked and has to answer; the air's number, never given twice.
package struct RequestID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// What a central does and waits for; the caller's number.
package struct OperationID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
