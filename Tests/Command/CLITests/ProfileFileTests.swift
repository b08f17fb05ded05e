import BusTesting
import Glibc
import Testing

@testable import BleperaCLI

@Suite struct ProfileFileTests {
  private static let missing = "\(ShippedProfiles.folder)/no-such.plist"

  @Test(
    arguments: [
      (missing, "\(missing): error: no such file"),
      (ShippedProfiles.folder, "\(ShippedProfiles.folder): error: is a folder, not a property list"),
      ("\(#filePath)/a.plist", "\(#filePath)/a.plist: error: Not a directory"),
      ("/dev/zero", "/dev/zero: error: is a named pipe or a device, not a property list"),
    ])
  func `a file that cannot be read is named, with the reason`(path: String, message: String) {
    let error = #expect(throws: ProfileFile.Unreadable.self) { try ProfileFile(path: path).read() }
    #expect(error?.description == message)
  }

  @Test(.timeLimit(.minutes(5))) func `a named pipe and a file that is too long are errors at once`() throws {
    let folder = try TemporaryFolder()
    let (pipe, long) = ("\(folder.path)/pipe", try folder.write("", to: "long"))
    try #require(unsafe mkfifo(pipe, 0o600) == 0 && truncate(long, (16 << 20) + 1) == 0)
    for (path, reason) in [
      (pipe, "is a named pipe or a device, not a property list"), (long, "larger than 16 MiB; not a profile"),
    ] {
      let error = #expect(throws: ProfileFile.Unreadable.self) { try ProfileFile(path: path).read() }
      #expect(error?.description == "\(path): error: \(reason)")
    }
  }

  @Test func `a file is read whole`() throws {
    let bytes = try ProfileFile(path: "\(ShippedProfiles.folder)/five-services.plist").read()
    #expect(bytes.starts(with: "// More".utf8))
    #expect(bytes.suffix(5) == Array("  };\n}\n".utf8).suffix(5))
  }

  @Test func `a folder is the property lists in it, in alphabetical order`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/a[1]*"
    try #require(unsafe mkdir(path, 0o700) == 0 && mkdir("\(folder.path)/empty", 0o700) == 0)
    for name in ["b.plist", "a.plist", ".c.plist", "d.txt"] { _ = try folder.write("", to: "a[1]*/\(name)") }
    #expect(
      ProfileFile.paths([path, "x/y.plist", "\(path)/", "-", "\(folder.path)/empty"]) == [
        "\(path)/a.plist", "\(path)/b.plist", "x/y.plist", "\(path)/a.plist", "\(path)/b.plist", "-",
        "\(folder.path)/empty/*.plist",
      ])
  }

  @Test(
    arguments: [
      ("profiles/heart-rate.plist", "heart-rate"), ("heart-rate.plist", "heart-rate"), ("/a/b/lock", "lock"),
      ("Info.plist.xml", "Info.plist.xml"), ("a.b.plist", "a.b"), (".plist", ".plist"), ("/", "/"), ("", ""),
    ])
  func `an app without a name of its own is named after its file`(path: String, name: String) {
    #expect(ProfileFile(path: path).name == name)
  }
}
