import BleperaAir
import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaDBus
import BleperaPhone
import BleperaProfileApp
import BleperaRadio
import BleperaRules
import BleperaVirtualBlueZ
import BusTesting
import Testing

@testable import BleperaCLI
@testable import BleperaSessions

/// A virtual radio without a process of its own, and phones on it.
final class PhonesOnAir {
  private let bus: PrivateBus
  private let server: BlueZServer
  private(set) var phones: [ServedPhone] = []

  var address: BusAddress { bus.address }

  /// - Parameter adapters: a phone's or a central's each.
  init(adapters: Int, failingDiscoveries: Int) async throws {
    bus = try PrivateBus()
    var options = BlueZServer.Options.adapters(adapters)
    options.behavior = DaemonBehavior(minor: 66, isExperimental: true)
    options.conditions = AirConditions(latency: .milliseconds(1), interval: .zero)
    options.failingDiscoveries = failingDiscoveries
    server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: options)
  }

  /// Returns once the phone serves.
  func serve(
    _ profile: NamedProfile, on adapter: String, _ launch: LaunchMode = .foreground,
    report: @escaping @Sendable (EventRecord) -> Void = { _ in }
  ) async throws {
    let events = Mailbox<ProfileAppRunner.Event>()
    var settings = ServedPhone.Settings()
    settings.launch = launch
    settings.apps = [ProfileAppRunner.App(profile: profile, seed: 0)]
    let phone = ServedPhone(loop: TestLoops.second, settings: settings) { [bus] phone in
      var options = BlueZRadio.Options()
      options.adapter = adapter
      try await phone.start(bus: bus.address, options: options, on: TestLoops.second)
    } observe: { event, app in
      report(EventRecord(event, of: app))
    } report: {
      events.put($0)
    }
    phones.append(phone)
    await phone.start()
    var event = try await events.next()
    if case .appServing = event { event = try await events.next() }
    guard event == .serving else {
      Issue.record("\(profile.name) is not served")
      return
    }
  }

  func close() async {
    for phone in phones { await phone.shutDown() }
    await server.close()
  }
}

extension PhonesOnAir {
  static func run(
    adapters: Int, failingDiscoveries: Int = 0, _ body: (PhonesOnAir) async throws -> Void
  ) async throws {
    let air = try await PhonesOnAir(adapters: adapters, failingDiscoveries: failingDiscoveries)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(air))
    } catch { result = .failure(error) }
    await air.close()
    try result.get()
  }
}
