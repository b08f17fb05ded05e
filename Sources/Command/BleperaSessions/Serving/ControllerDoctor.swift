package import BleperaBlueZ
import BleperaBluetooth
package import BleperaController
package import BleperaEventLoop
import BleperaLoop
import BleperaPhone
import BleperaRadio
import Glibc

/// Examines controllers that a phone can have with `--controller`.
package enum ControllerDoctor {
  /// Starts the controller, and reports what the controller is and what it lacks.
  package static func findings(of place: ControllerPlace, on loop: EventLoop) async -> [Finding] {
    let adapter: ControllerAdapter
    do {
      adapter = try await ControllerSettings(place: place).startAdapter(of: PhoneSettings(), on: loop)
    } catch {
      return [Finding(.problem, "controller", "\(error)")]
    }
    let (controller, limitations) = await adapter.results
    await adapter.close()
    let features = ControllerDescription.Feature.names.filter { controller?.has($0.key) == true }.map(\.value)
    return [
      Finding(.good, "controller", "\(place): \(controller.map { "\($0)" } ?? "ready")"),
      Finding(.good, "features", features.isEmpty ? "none that a phone uses" : features.joined(separator: ", ")),
    ] + limitations.map { Finding(.note, "limitation", $0.instead) }
  }

  /// The adapters of the kernel, and whether a phone of this user can take each from bluetoothd.
  ///
  /// - Parameter obstacle: why the user can take none.
  package static func adapters(
    _ report: MachineReport, obstacle: ControllerFailure.Cause? = obstacle
  ) -> [Finding] {
    report.controllers.compactMap { name in
      guard let place = try? ControllerPlace(name) else { return nil }
      let isBlocked = report.blocked.contains { $0.controller == name }
      if let failure = (isBlocked ? .blocked : obstacle).map({ ControllerFailure(place, $0) }) {
        return Finding(
          .note, "controller", "--controller \(name) cannot be used here: \(failure.reason)", advice: failure.advice)
      }
      guard let adapter = report.adapters.first(where: { $0.name == name }) else {
        return Finding(.note, "controller", "bluetoothd does not have \(name): another program may have it")
      }
      let power = adapter.isPowered ? "on" : "off"
      return Finding(
        .good, "controller", "--controller \(name) takes the adapter, powered \(power), from bluetoothd")
    }
  }

  /// Why this process can take no adapter of the kernel; nil if it can.
  package static var obstacle: ControllerFailure.Cause? {
    let socket = HCISocket.open(.control)
    guard socket >= 0 else { return .otherNamespace }
    close(socket)
    let line = MachineProbe.lines("/proc/self/status").first { $0.hasPrefix("CapEff:") }
    let mask = line.flatMap { UInt64($0.dropFirst(7).drop(while: \.isWhitespace), radix: 16) } ?? 0
    return mask >> 12 & 1 == 1 ? nil : .noCapability
  }
}

extension ControllerAdapter {
  fileprivate var results: (ControllerDescription?, [RadioLimitation]) { (controller, limitations) }
}

extension ControllerDescription.Feature {
  /// The features that a phone uses.
  fileprivate static let names: KeyValuePairs<Self, String> = [
    .extendedAdvertising: "extended advertising", .dataLength: "data length",
    .parameterRequest: "parameter requests of the link layer", .privacy: "a resolving list",
  ]
}
