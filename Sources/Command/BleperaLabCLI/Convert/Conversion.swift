import BleperaProfile
import BleperaPropertyLists
import BleperaRules
import BleperaSimulation

/// A property list in another form.
struct Conversion {
  let form: PropertyListWriter.Form
  /// The faults of the input.
  let diagnostics: [Diagnostic]
  /// The parts of the input that the form cannot represent.
  let refusals: [String]
  /// The converted list; nil if the input has an error, or the form cannot represent it.
  let result: [UInt8]?

  /// - Parameter form: The form to write; nil for XML of a text file, and for text of any other.
  init(_ bytes: [UInt8], file: String, to form: PropertyListWriter.Form? = nil) {
    var faults = FaultList()
    let document = PropertyList.read(bytes, faults: &faults)
    let form = form ?? (document.form == .text ? .xml : .text)
    let types = Self.types(of: document)
    self.form = form
    diagnostics = faults.diagnostics(file: file, lines: document.lines)
    let value = faults.hasErrors ? nil : document.root.flatMap { PropertyListWriter($0, types) }
    refusals = value?.unrepresentable(in: form) ?? []
    guard let value, refusals.isEmpty else {
      result = nil
      return
    }
    switch form {
    case .xml: result = Array(value.xml().utf8)
    case .text: result = Array(value.text(types).utf8)
    }
  }

  /// The types of a profile or a scenario, by the keys of its root.
  private static func types(of document: PropertyList.Document) -> ScalarTypes {
    switch document.root.flatMap({ DocumentKind($0) }) {
    case .profile: profile
    case .scenario: scenario
    case .accessory: accessory
    case .phone: phone
    case nil: .none
    }
  }

  /// The types of profiles, of scenarios with the profiles in them, and of accessories.
  static let profile = ScalarTypes(Profile.schema)
  static let scenario = ScalarTypes(Scenario.schema + AccessoryDescription.schema + Profile.schema)
  static let accessory = ScalarTypes(AccessoryDescription.schema + Profile.schema)
  static let phone = ScalarTypes(MeasuredPhone.schema)
}
