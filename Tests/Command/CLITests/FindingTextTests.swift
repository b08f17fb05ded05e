import BleperaBlueZ
import Testing

@testable import BleperaCLI

@Suite struct FindingTextTests {
  private static let findings = [
    Finding(.good, "message bus", "reachable"), Finding(.note, "pairing", "asks", advice: "set it"),
    Finding(.problem, "hci0", "is off", advice: "bluetoothctl power on"),
  ]

  @Test func `a finding is a line, what to do behind what it is like`() {
    #expect(
      FindingText(terminal: .plain).lines(Self.findings) == [
        "ok    message bus  reachable",
        "note  pairing      asks; set it",
        "FIX   hci0         is off; bluetoothctl power on",
      ])
  }

  @Test func `the mark is in color`() {
    #expect(
      FindingText(terminal: .colored).lines(Self.findings).map { String($0.prefix(16)) } == [
        "\u{1B}[32mok  \u{1B}[0m  m", "\u{1B}[33mnote\u{1B}[0m  p", "\u{1B}[31mFIX \u{1B}[0m  h",
      ])
  }

  @Test func `without findings there is no line`() {
    #expect(FindingText(terminal: .plain).lines([]) == [])
  }
}
