package import BleperaBluetooth
package import BleperaController
package import BleperaEventLoop
import BleperaHost
import BleperaHostRadio
import BleperaLoop
package import BleperaPhone
package import BleperaRecording
import BleperaRules

/// A controller that a phone or a scan uses with the phone's own host.
package struct ControllerSettings: Sendable {
  package let place: ControllerPlace
  /// The file of the HCI packets, which begins with `BtsnoopFile.header`; nil for none.
  package var capture: CaptureWriter?

  package init(place: ControllerPlace) { self.place = place }

  /// Returns the adapter once the controller is ready.
  ///
  /// - Parameter identity: nil for a phone that was never started.
  package func startAdapter(
    of phone: PhoneSettings, identity: PhoneIdentity? = nil, on loop: EventLoop
  ) async throws -> ControllerAdapter {
    var tap: ControllerAdapter.Tap?
    if let capture { tap = { capture.write(BtsnoopFile.record($0, isReceived: $1, at: loop.timeOfDay)) } }
    let host = PhoneHost(phone.rules, name: phone.deviceName, mtu: phone.mtu, hasServices: phone.phoneServices)
    let adapter = ControllerAdapter(
      loop: loop, name: "\(place)", phone: host, identity: identity, isPacketed: place.isPacketed, tap: tap
    ) { [place] completion in place.open(on: loop, completion: completion) }
    try await adapter.start()
    return adapter
  }
}

extension EmulatedPhone {
  /// Starts the phone on an adapter with a host of the phone's own.
  func start(on adapter: ControllerAdapter, _ settings: PhoneSettings) async throws {
    try await start { report in
      HostRadio(
        adapter: adapter, identity: adapter.identity, pairing: settings.pairing,
        beacon: AdvertisingPackets.beacon(settings.rules), report: report)
    }
  }
}
