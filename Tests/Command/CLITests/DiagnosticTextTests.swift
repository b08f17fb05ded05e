import BleperaProfile
import BleperaPropertyLists
import Testing

@testable import BleperaCLI

@Suite struct DiagnosticTextTests {
  private static func diagnostic(
    _ severity: Diagnostic.Severity, file: String = "a.plist", found: String = "\"18XD\"", fix: String? = nil
  ) -> Diagnostic {
    Diagnostic(
      severity: severity, file: file, line: 12, column: 7, keyPath: "BLEPeripheral.Services[0].UUID", found: found,
      expected: "a UUID", fix: fix)
  }

  private static let red = "\u{1B}[31merror:\u{1B}[0m"
  private static let yellow = "\u{1B}[33mwarning:\u{1B}[0m"

  @Test(
    arguments: [
      (
        diagnostic(.error), "a.plist:12:7: \(red) BLEPeripheral.Services[0].UUID: found \"18XD\", expected a UUID"
      ),
      (
        diagnostic(.warning, fix: "write 180D"),
        "a.plist:12:7: \(yellow) BLEPeripheral.Services[0].UUID: found \"18XD\", expected a UUID; write 180D"
      ),
      (
        diagnostic(.warning, found: "\" error: \""),
        "a.plist:12:7: \(yellow) BLEPeripheral.Services[0].UUID: found \" error: \", expected a UUID"
      ),
      (
        diagnostic(.error, file: "1: warning: error: .plist"),
        "1: warning: error: .plist:12:7: \(red) BLEPeripheral.Services[0].UUID: found \"18XD\", expected a UUID"
      ),
    ])
  func `a diagnostic is as compilers print it, with its severity in color`(
    diagnostic: Diagnostic, colored: String
  ) {
    #expect(DiagnosticText(terminal: .colored).line(diagnostic) == colored)
    #expect(DiagnosticText(terminal: .plain).line(diagnostic) == colored.withoutColor)
    #expect(DiagnosticText(terminal: .plain).line(diagnostic) == "\(diagnostic)")
  }
}
