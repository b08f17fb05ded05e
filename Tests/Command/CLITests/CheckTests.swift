import ArgumentParser
import BusTesting
import Testing

@testable import BleperaCLI

@Suite struct CheckTests {
  @Test func `the shipped profiles are there`() {
    let names = [
      "challenge-lock", "five-services", "foreground-only", "glucose-meter", "heart-rate", "lock-remote", "nordic-uart",
      "say-something", "slow-lock", "smart-lock",
    ]
    #expect(ShippedProfiles.paths == names.map { "\(ShippedProfiles.folder)/\($0).plist" })
  }

  @Test(arguments: ShippedProfiles.paths)
  func `a shipped profile has neither errors nor warnings`(path: String) {
    let report = CheckReport(ProfileFile(path: path), coloredFor: .plain)
    #expect(report.faults == [])
    #expect(report.summary?.hasPrefix("\(path): no errors: ") == true)
  }

  @Test(
    arguments: [
      ("five-services", "5 services, 5 characteristics"), ("say-something", "1 service, 1 characteristic"),
      ("lock-remote", "a central with 2 characteristics"),
    ])
  func `a profile without errors is summed up`(name: String, expected: String) {
    let path = "\(ShippedProfiles.folder)/\(name).plist"
    #expect(CheckReport(ProfileFile(path: path), coloredFor: .plain).summary == "\(path): no errors: \(expected)")
  }

  @Test(
    arguments: [
      ("com.apple.${PRODUCT_NAME:rfc1034identifier}", "com.apple.EXECUTABLE (EXECUTABLE: the name of the executable)"),
      ("org.example.lock", "org.example.lock"),
    ])
  func `an Info.plist that is no profile is an app's that imports CoreBluetooth`(
    identifier: String, expected: String
  ) throws {
    let folder = try TemporaryFolder()
    for (modes, expectedModes) in [
      (["audio", "bluetooth-peripheral", "bluetooth-central"], "bluetooth-central and bluetooth-peripheral"),
      (["bluetooth-peripheral"], "bluetooth-peripheral"), ([], "no Bluetooth background mode"),
    ] {
      let list = "{ CFBundleIdentifier = \"\(identifier)\"; UIBackgroundModes = (\(modes.joined(separator: ", "))); }"
      let path = try folder.write(list, to: "Info.plist")
      let report = CheckReport(ProfileFile(path: path), coloredFor: .plain)
      #expect(report.diagnostics.map(\.severity) == (identifier.contains("$") ? ["warning"] : []))
      #expect(
        report.summary
          == "\(path): no errors: the Info.plist of an app that imports CoreBluetooth, for BLEPERA_INFO_PLIST: identifier "
          + "\(expected), \(expectedModes). A profile has BLEPeripheral or BLECentral, too.")
    }
  }

  @Test(arguments: ["{ UIBackgroundModes = (); BLEPeriferal = {}; }", "{ CFBundleName = (); }", "{}"])
  func `a profile whose key is misspelled, and a list without an app, are faults`(text: String) throws {
    let path = try TemporaryFolder().write(text, to: "Info.plist")
    #expect(CheckReport(ProfileFile(path: path), coloredFor: .plain).summary == nil)
  }

  @Test func `a file that is no property list is a fault of its first line`() {
    let report = CheckReport(ProfileFile(path: #filePath), coloredFor: .plain)
    #expect(report.faults.first?.hasPrefix("\(#filePath):1:1: error: ") == true)
    #expect(report.summary == nil)
  }

  @Test func `a file that cannot be read is a fault`() {
    let report = CheckReport(ProfileFile(path: ShippedProfiles.folder), coloredFor: .plain)
    #expect(report.faults == ["\(ShippedProfiles.folder): error: is a folder, not a property list"])
    #expect(report.summary == nil)
  }

  @Test(
    arguments: [
      ("{ a = ", "::error file=-,line=1,col=7::"), ("a,b:c%", "::error file=a%2Cb%3Ac%25::no such file"),
    ])
  func `an error is an annotation of a workflow`(text: String, annotation: String) throws {
    let folder = try TemporaryFolder()
    let isContent = text.hasPrefix("{")
    let path = isContent ? try folder.write(text, to: "a.plist") : text
    let entry = try #require(CheckReport(ProfileFile(path: path), coloredFor: .plain).diagnostics.first)
    #expect(entry.annotation.replacing(folder.path + "/a.plist", with: "-").hasPrefix(annotation))
  }

  @Test(arguments: ["--json --output-format github a", "--watch -", "--output-format sarif a"])
  func `options that contradict each other are refused`(words: String) {
    #expect(throws: (any Error).self) { try CheckCommand.parse(words.split(separator: " ").map(String.init)) }
  }

  @Test func `one faulty file makes the status 2, though the others are looked at`() async throws {
    let command = try CheckCommand.parse(["/nonexistent/a.plist", ShippedProfiles.paths[0]])
    await #expect(throws: ExitCode(2)) { try await command.run() }
    try await CheckCommand.parse([ShippedProfiles.paths[0]]).run()
  }
}
