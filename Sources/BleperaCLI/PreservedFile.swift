import AppLink
import ArgumentParser
import Preservation

/// The state of a phone as it is on disk, which is as it is in the phone.
struct PreservedFile {
  private let store: FilePreservationStore
  let apps: [PreservedApp]

  init(_ options: SystemOptions) throws {
    do throws(PreservationFailure) {
      store = FilePreservationStore(folder: try StateFolder(name: options.name))
      apps = try store.read().apps
    } catch {
      throw CommandFailure.of("\(error)")
    }
  }

  func find(_ name: String) throws -> PreservedApp {
    let found = apps.first { app in
      [app.identity.bundleIdentifier, app.identity.restoreIdentifier, app.identity.name].contains(name)
    }
    if let found { return found }
    let known = apps.map(\.identity.bundleIdentifier).joined(separator: ", ")
    throw CommandFailure.of(
      "nothing is preserved of an app '\(name)'; there are: \(known.isEmpty ? "none" : known).")
  }

  func forget(_ identifier: String) throws {
    do throws(PreservationFailure) {
      try store.save(PreservedState(apps: apps.filter { $0.identity.bundleIdentifier != identifier }))
    } catch {
      throw CommandFailure.of("\(error)")
    }
  }
}
