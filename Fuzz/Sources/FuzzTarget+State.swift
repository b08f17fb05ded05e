@testable import BleperaPreservation

extension FuzzTarget {
  /// A state file, unchanged and with a correct checksum; a phone starts with a valid state.
  static let state = FuzzTarget("state") { bytes in
    check(bytes)
    check(Seal.sealed(bytes))
  }

  private static func check(_ file: [UInt8]) {
    let state: PreservedState
    do throws(StateFileError) {
      state = try StateFile.decode(file)
    } catch {
      return require(!error.description.isEmpty, "an error has a text")
    }
    do throws(InvalidState) {
      let again = try StateFile.encode(state)
      let decoded = try? StateFile.decode(again)
      require(decoded == state, "a state is read as it was written")
      require((try? StateFile.encode(state)) == again, "a state has one form")
    } catch {
      require(false, "a state that can be read can be written: \(error)")
    }
    guard state.isSmall else { return }
    let phone = FuzzedPhone(state: file)
    phone.useEverything()
    phone.launchPreservedApps(state)
    phone.check()
  }
}

extension PreservedState {
  fileprivate var isSmall: Bool {
    apps.count <= 8 && apps.allSatisfy { $0.services.count <= 16 && $0.subscribers.count <= 32 }
  }
}
