package import BleperaBluetooth
package import BleperaPhone
package import BleperaProfile
package import BleperaPropertyLists
import BleperaRadio
package import BleperaRules

/// A story of phones, accessories and centrals, from a checked property list: participants, steps and expectations.
package struct Scenario: Hashable, Sendable {
  package var title = ""
  /// Seed for the random number generator of a virtual radio.
  package var seed: UInt64 = 0
  package var phones: [Phone] = []
  package var accessories: [Accessory] = []
  package var centrals: [Central] = []
  package var steps: [Step] = []

  package init() {}

  package struct Phone: Hashable, Sendable {
    package var name: String
    package var settings = PhoneSettings()
    package var apps: [App] = []

    package var ios: IOSVersion { settings.rules.version }
    package var kind: PhoneKind { settings.rules.phoneKind }
  }

  /// An app that is installed on a phone; the step `serve` launches it.
  package struct App: Hashable, Sendable {
    /// The name that steps use.
    package var name: String
    package var profile: Profile
    /// Used for an identifier or name that the profile omits.
    package var fallbackName: String

    /// The bundle identifier.
    package var identifier: String { profile.bundleIdentifier ?? profile.bundleName ?? fallbackName }
  }

  /// A device that is no phone, which is on from the beginning.
  package struct Accessory: Hashable, Sendable {
    package var name: String
    package var description: AccessoryDescription
  }

  package struct Central: Hashable, Sendable {
    package var name: String
    package var kind = Kind.plain
    /// The iOS version of an iPhone's app.
    package var ios = IOSVersion.newest
    /// The phone that an iPhone's app runs on; nil for the rules of the version.
    package var measured: MeasuredPhone?
    package var place = Place.foreground
    /// The requested ATT_MTU, in bytes; nil for the radio's own.
    package var mtu: Int?

    package enum Kind: String, Hashable, CaseIterable, Sendable {
      /// Receives everything on the air, as Linux and Android do.
      case plain
      /// Receives only what Core Bluetooth reports to an app.
      case iOS
    }

    /// The state of an iPhone's app that scans.
    package enum Place: String, Hashable, CaseIterable, Sendable {
      case foreground, background, screenOff
    }
  }

  package var apps: [App] { phones.flatMap(\.apps) }
}

// MARK: Reading

/// The result of checking a scenario.
package struct ScenarioCheck: Hashable, Sendable {
  /// Nil if there is an error among the diagnostics.
  package let scenario: Scenario?
  /// The diagnostics of the scenario in the order of their locations, then those of its profiles.
  package let diagnostics: [Diagnostic]
}

/// Why a profile cannot be read.
package struct UnreadableProfile: Error, Hashable, Sendable {
  /// A few words: `no such file`.
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

extension Scenario {
  /// Returns the bytes of a profile for a path in a scenario.
  package typealias Loader = (_ path: String) -> Result<[UInt8], UnreadableProfile>

  /// Reads and checks a property list.
  ///
  /// - Parameters:
  ///   - file: The file's path for diagnostics; paths of profiles are relative to its folder.
  ///   - load: Called once for each profile.
  package static func check(_ bytes: [UInt8], file: String, load: Loader) -> ScenarioCheck {
    var faults = FaultList()
    let document = PropertyList.read(bytes, faults: &faults)
    var scenario: Scenario?
    var others: [Diagnostic] = []
    if let root = document.root, let kind = DocumentKind(root), kind != .scenario {
      faults.error(
        at: root.offset, .root, found: "\(kind)", expected: "\(DocumentKind.scenario)",
        fix: "check it with 'blepera check'")
    } else if let root = document.root {
      let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
      var checker = ScenarioChecker(faults: faults, lines: document.lines, folder: folder)
      scenario = checker.scenario(root, load)
      (faults, others) = (checker.faults, checker.profileDiagnostics)
    }
    let isValid = !faults.hasErrors && others.allSatisfy { $0.severity != .error }
    return ScenarioCheck(
      scenario: isValid ? scenario : nil,
      diagnostics: faults.diagnostics(file: file, lines: document.lines) + others)
  }
}
