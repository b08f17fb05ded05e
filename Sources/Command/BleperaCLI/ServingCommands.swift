package import ArgumentParser

/// The commands that need the core alone, in the order of `blepera --help`.
package enum ServingCommands {
  package typealias List = [any ParsableCommand.Type]

  /// - Parameter radio: the radio of `--virtual`.
  package static func phone<Radio: VirtualRadioOptions>(on radio: Radio.Type) -> List {
    [
      ServeCommand<Radio>.self, SystemCommand<Radio>.self, StatusCommand.self, EventsCommand.self, LaunchCommand.self,
      ForegroundCommand.self, BackgroundCommand.self, SuspendCommand.self, LockCommand.self, UnlockCommand.self,
      BluetoothCommand.self, DefectCommand.self, NotifyCommand.self, QuitCommand.self, TerminateCommand.self,
      RebootCommand.self, ShutdownCommand.self, PreservedCommand.self, BondsCommand.self,
      PairCommand.self,
    ]
  }

  package static let profiles: List = [CheckCommand.self, InitCommand.self]
  package static let explanations: List = [ExplainCommand.self, RulesCommand.self, DefectsCommand.self]
  package static let overflow: List = [OverflowCommand.self]
  package static let central: List = [ScanCommand.self, CloneCommand.self]
  package static let machine: List = [DoctorCommand.self]
}
