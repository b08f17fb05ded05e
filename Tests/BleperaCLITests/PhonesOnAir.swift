import BlueZ
import BusTesting
import DBus
import Policy
import System
import Testing
import VirtualBlueZ

@testable import BleperaCLI

/// A virtual radio without a process of its own, and phones on it.
final class PhonesOnAir {
  private let bus: PrivateBus
  private let server: BlueZServer
  private var phones: [Phone] = []
  private(set) var systems: [System] = []

  var address: BusAddress { bus.address }

  /// - Parameter adapters: a phone's or a central's each.
  init(adapters: Int) async throws {
    bus = try PrivateBus()
    var options = BlueZServer.Options.adapters(adapters)
    options.behavior = DaemonBehavior(minor: 66, isExperimental: true)
    options.conditions.latency = .milliseconds(1)
    server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: options)
  }

  /// Returns once the phone serves.
  func serve(
    _ profile: NamedProfile, on adapter: String, _ launch: LaunchMode = .foreground,
    report: @escaping @Sendable (SystemEvent, String?) -> Void = { _, _ in }
  ) async throws {
    var options = Peripheral.Options()
    options.adapter = adapter
    let news = Mailbox<Phone.News>()
    let phone = Phone(
      loop: TestLoops.second, bus: bus.address, options: options, rules: .newest, launch: launch, profiles: [profile],
      seeds: [0], report: report
    ) {
      news.put($0)
    }
    phones.append(phone)
    systems.append(await phone.system)
    await phone.start()
    guard case .serving = try await news.next() else {
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
  static func run(adapters: Int, _ body: (PhonesOnAir) async throws -> Void) async throws {
    let air = try await PhonesOnAir(adapters: adapters)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(air))
    } catch { result = .failure(error) }
    await air.close()
    try result.get()
  }
}
