import ArgumentParser
import BleperaAir
import BleperaBlueZ
import BleperaBluetooth
import BleperaCLI
import BleperaCompare
import BleperaSessions
import Synchronization

/// The advertisements of a phone that bluetoothd reports, in place of a capture.
final class LiveCapture: Sendable {
  private let comparison: Mutex<CaptureComparison>

  private init(_ selection: PhoneSelection) {
    comparison = Mutex(CaptureComparison(selection, receiver: .daemon))
  }

  /// Listens until Ctrl-C or the limit.
  static func comparison(
    on adapter: String, of selection: PhoneSelection, limit: Duration?
  ) async throws(ExitCode) -> CaptureComparison {
    let live = LiveCapture(selection)
    let session = ScanSession(
      ScanSession.Options(adapter: adapter, limit: limit),
      received: { device in
        guard let address = DeviceAddress(device.address)?.bits else { return }
        let packet = CapturedPacket(
          advertisement: device.advertised.packet.bytes, of: address, signal: device.rssi, at: ScenePlayer.now)
        live.comparison.withLock { $0.add(packet) }
      },
      observe: { record in
        switch record.event {
        case .scanning: Terminal(.error).print("Listening with \(adapter); Ctrl-C ends that.")
        case .scanningFailed: CommandFailure.report(record.reason ?? "")
        case .started, .discovered, .lost: break
        }
      })
    if let failure = await session.run() { throw CommandFailure.exit(failure) }
    return live.comparison.withLock { $0 }
  }
}
