package import BleperaCLI

/// The commands that read captures and traces.
package enum ToolsCommands {
  package static let all: ServingCommands.List = [CompareCommand.self, ReportCommand.self]
}
