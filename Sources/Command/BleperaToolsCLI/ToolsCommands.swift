package import BleperaCLI

/// The commands that read captures and traces.
package enum ToolsCommands {
  package static let compare: ServingCommands.List = [CompareCommand.self]
  package static let report: ServingCommands.List = [ReportCommand.self]
}
