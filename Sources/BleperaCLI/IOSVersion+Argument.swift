import ArgumentParser
import Policy

/// A version is its major number on the command line.
extension IOSVersion: ExpressibleByArgument {
  init?(argument: String) {
    guard let version = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
    self = version
  }

  static var allValueStrings: [String] { allCases.map(\.argument) }

  var defaultValueDescription: String { argument }

  private var argument: String { "\(rawValue)" }
}
