package import BleperaCLI

/// The commands of the virtual air and of scenarios, in the order of `blepera --help`.
package enum LabCommands {
  /// The command `convert`, which is here because it reads the keys of scenarios too.
  package static let convert: ServingCommands.List = [ConvertCommand.self]
  package static let laboratory: ServingCommands.List = [LabCommand.self, ScenarioCommand.self]
}
