import ArgumentParser
import GATT

extension BluetoothUUID {
  /// Reads a word of the command line.
  @Sendable static func argument(_ text: String) throws -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text) else {
      throw ValidationError("expected a UUID such as 180D or 1FA2FD8A-17E0-4D3B-AF45-305DA6130E39")
    }
    return uuid
  }
}
