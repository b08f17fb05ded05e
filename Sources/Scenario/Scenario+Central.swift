package import Policy

extension Scenario {
  package struct Central: Hashable, Sendable {
    package var name: String
    package var kind = Kind.plain
    /// Of an iPhone's app.
    package var ios = IOSVersion.newest
    package var place = Place.foreground

    package init(name: String, kind: Kind = .plain, place: Place = .foreground) {
      self.name = name
      self.kind = kind
      self.place = place
    }

    package enum Kind: String, Hashable, CaseIterable, Sendable {
      /// Sees what is on the air, as Linux and Android do.
      case plain
      /// Sees what Core Bluetooth tells an app.
      case iOS
    }

    /// Where an iPhone's app is that scans.
    package enum Place: String, Hashable, CaseIterable, Sendable {
      case foreground, background, screenOff
    }
  }
}
