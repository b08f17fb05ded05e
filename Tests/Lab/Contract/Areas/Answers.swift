import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ

/// The responses of a program, which reach a client through two tables of bluetoothd.
extension ContractCase {
  private static let answered: [(String, DBusErrorReply, read: String, write: String)] = [
    ("a code of its own", .bluez("Failed", "0x81"), att(0x81), att(0x81)),
    ("a code in decimals", .bluez("Failed", "131"), att(0x83), att(0x83)),
    ("a code that is not its own", .bluez("Failed", "0x05"), att(0x0E), att(0x0E)),
    ("a text", .bluez("Failed", "no"), att(0x80), att(0x80)),
    (
      "NotSupported", .bluez("NotSupported", ""), "org.bluez.Error.NotSupported: Operation is not supported",
      "org.bluez.Error.NotSupported: Operation is not supported"
    ),
    (
      "NotAuthorized", .bluez("NotAuthorized", ""), "org.bluez.Error.NotAuthorized: Operation Not Authorized",
      "org.bluez.Error.NotAuthorized: Operation Not Authorized"
    ),
    (
      "NotPermitted", .bluez("NotPermitted", ""), "org.bluez.Error.NotPermitted: Read not permitted",
      "org.bluez.Error.NotPermitted: Write not permitted"
    ),
    (
      "InvalidOffset", .bluez("InvalidOffset", ""), "org.bluez.Error.InvalidArguments: Invalid offset",
      "org.bluez.Error.InvalidArguments: Invalid offset"
    ),
    (
      "InvalidValueLength", .bluez("InvalidValueLength", ""), "org.bluez.Error.InvalidArguments: Invalid Length",
      "org.bluez.Error.InvalidArguments: Invalid Length"
    ),
    ("InProgress", .bluez("InProgress", ""), att(0xFE), att(0xFE)),
    (
      "an error of another family", DBusErrorReply(name: "org.example.Other", message: "0x81"), att(0x0E), att(0x0E)
    ),
  ]

  private static func att(_ code: UInt8) -> String {
    let digits = String(code, radix: 16)
    return "org.bluez.Error.Failed: Operation failed with ATT error: 0x" + (digits.count < 2 ? "0" : "") + digits
  }

  static let answers: [ContractCase] = [
    ContractCase(.reads, "Each error of the application has its own error at the reader") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      for (name, error, expected, _) in answered {
        let expected = stage.minor < 66 && error.bluez == .failed ? att(0x80) : expected
        async let result = result(stage, read(path))
        try await program.next("ReadValue", answer: .failure(error))
        stage.check(await result, expected, name)
      }
    },
    ContractCase(.writes, "Each error of the application has its own error at the writer") { stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      for (name, error, _, expected) in answered {
        let expected = stage.minor < 66 && error.bluez == .failed ? att(0x80) : expected
        async let result = result(stage, write(path, [1]))
        try await program.next("WriteValue", answer: .failure(error))
        stage.check(await result, expected, name)
      }
    },
    ContractCase(.reads, "A response of another type is not supported") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      async let result = result(stage, read(path))
      try await program.next("ReadValue", answer: .success([.string("not bytes")]))
      stage.check(await result, "org.bluez.Error.NotSupported: Operation is not supported")
    },
  ]
}
