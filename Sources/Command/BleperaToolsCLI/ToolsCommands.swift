package import BleperaCLI

/// The commands of predictions, captures and traces.
package enum ToolsCommands {
  package static let all: ServingCommands.List = [
    PredictCommand.self, CompareCommand.self, ReportCommand.self,
  ]
}
