import BleperaAir
import BleperaBluetooth
import BleperaHost
import BleperaLoop
import BleperaTesting
import Testing

@testable import BleperaSimulation

/// Scenes of which somebody has published the packets: an active scanner on the virtual air receives the same.
@Suite("What a scanner receives is what was captured", .timeLimit(.minutes(5)))
struct CapturedPacketTests {
  struct Scene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var ios = 26
    /// Apple's items; nil for the items of the version of iOS.
    var items: [AppleItem]?
    var name: String?
    var uuids: [String]
    var isInForeground = false
    let advertisement: String
    var scanResponse = ""
  }

  private static let young = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"
  private static let youngListed = "A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F"
  private static let youngOverflow = "14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00"

  static let scenes: [Scene] = [
    Scene(
      testDescription: "iPhone 6, iOS 11, background (davidgyoung/ios-overflow-area)", ios: 11, uuids: [young],
      advertisement: "02 01 1A \(youngOverflow)"),
    Scene(
      testDescription: "iPhone SE1, background (Herald): without an item of the phone", ios: 14, items: [],
      uuids: [young], advertisement: "02 01 1A 02 0A 0C \(youngOverflow)"),
    Scene(
      testDescription: "iPhone X, background (Herald): beside Nearby Info", ios: 14, items: [.nearbyInfo],
      uuids: [young],
      advertisement: "02 01 1A 02 0A 0C 0B FF 4C 00 10 06 07 1E A3 DD 89 E0", scanResponse: youngOverflow),
    Scene(
      testDescription: "background (android-beacon-library): beside Nearby Action and Nearby Info", ios: 14,
      items: [
        AppleItem(type: 0x0F, value: [0xA0, 0x33, 0x6A, 0xA5, 0xF1]), AppleItem(type: 0x10, value: [0x5B, 0x0C]),
      ], uuids: [young], advertisement: "02 01 1A 02 0A 0C 0E FF 4C 00 0F 05 A0 33 6A A5 F1 10 02 5B 0C",
      scanResponse: youngOverflow),
    Scene(
      testDescription: "C007 and Fred, iOS 10 (Crownstone)", ios: 10, name: "Fred", uuids: ["C007"],
      isInForeground: true, advertisement: "02 01 1A 03 03 07 C0 05 09 46 72 65 64"),
    Scene(
      testDescription: "one 128-bit UUID, iOS 11 (davidgyoung/ios-overflow-area)", ios: 11, uuids: [young],
      isInForeground: true, advertisement: "02 01 1A 11 07 \(youngListed)"),
    Scene(
      testDescription: "a 16-bit service in its long form (AOSP car trust)", ios: 11, name: "Tester",
      uuids: ["00003AC5-0000-1000-8000-00805F9B34FB"], isInForeground: true,
      advertisement: "02 01 1A 11 07 FB 34 9B 5F 80 00 00 80 00 10 00 00 C5 3A 00 00 07 09 54 65 73 74 65 72"),
    Scene(
      testDescription: "a name of two bytes, 2015 (reelyActive)", ios: 11, name: "--", uuids: [young],
      isInForeground: true, advertisement: "02 01 1A 11 07 \(youngListed) 03 09 2D 2D"),
    Scene(
      testDescription: "five services and a name of 8 bytes, 2020 (uynguyen)", ios: 13, name: "uynguyen",
      uuids: [
        young, "B82AB3FC-1595-4F6A-80F0-FE094CC218F9", "17E033D3-490E-4BC9-9FE8-2F567643F4D3",
        "5403C8A7-5C96-47E9-9AB8-59E373D875A7", "C1F5983C-FA94-4AC8-8E2E-BB86D6DE9B21",
      ], isInForeground: true, advertisement: "02 01 1A 11 06 \(youngListed) 09 09 75 79 6E 67 75 79 65 6E",
      scanResponse: "14 FF 4C 00 01 01 00 80 10 00 00 00 00 00 40 00 00 00 00 00 00"),
    Scene(
      testDescription: "two services and a name that is cut, 2014 (LightBlue)", ios: 11, name: "LightBlue",
      uuids: [young, "B82AB3FC-1595-4F6A-80F0-FE094CC218F9"], isInForeground: true,
      advertisement: "02 01 1A 11 06 \(youngListed) 09 08 4C 69 67 68 74 42 6C 75",
      scanResponse: "14 FF 4C 00 01 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
    Scene(
      testDescription: "ten digits beside a 128-bit service (stackoom)", ios: 11, name: "0123456789", uuids: [young],
      isInForeground: true, advertisement: "02 01 1A 11 07 \(youngListed) 09 08 30 31 32 33 34 35 36 37"),
    Scene(
      testDescription: "iPhone SE1, foreground (Herald)", ios: 14, uuids: [young], isInForeground: true,
      advertisement: "02 01 1A 02 0A 0C 11 07 \(youngListed)"),
  ]

  @Test("Each capture has its scene", arguments: scenes)
  func packets(scene: Scene) async throws {
    let air = Air()
    let virtual = try #require(air.backend.virtual)
    let reports = Record<AdvertisementReport>()
    let scanner = virtual.virtualLoop.perform {
      virtual.air.assumeIsolated { sharedAir in
        let adapter = sharedAir.addAdapter(named: "scanner")
        let scanner = VirtualCentral(air: sharedAir, adapter: adapter) { event in
          if case .received(let report) = event { reports.add(report) }
        }
        scanner.assumeIsolated {
          $0.start()
          $0.scan(ScanWindow())
        }
        return scanner
      }
    }
    let phone = Phone(on: air, ios: scene.ios, backgroundAppleItems: scene.items)
    let uuids = try scene.uuids.map { try #require(BluetoothUUID($0)) }
    phone.launch(
      AppDefinition(
        "org.example.captured", localName: scene.name, advertising: uuids,
        services: [ServiceDefinition(uuid: BluetoothUUID(bits: 1), characteristics: [])]))
    if !scene.isInForeground { phone.moveToBackground() }
    await air.advance(by: .seconds(5))
    let last = try #require(reports.elements.last)
    #expect(Hex.string(last.data, separator: " ") == scene.advertisement)
    #expect(Hex.string(last.scanResponse, separator: " ") == scene.scanResponse)
    withExtendedLifetime(scanner) {}
  }

  @Test("Two phones send different Nearby Info, a phone another one under each address, and an equal seed the same")
  func nearbyInfo() async throws {
    func items(seed: UInt64) async throws -> [String: [String]] {
      let air = Air(seed: seed)
      let virtual = try #require(air.backend.virtual)
      let reports = Record<AdvertisementReport>()
      let scanner = virtual.virtualLoop.perform {
        virtual.air.assumeIsolated { sharedAir in
          let scanner = VirtualCentral(air: sharedAir, adapter: sharedAir.addAdapter(named: "scanner")) { event in
            if case .received(let report) = event { reports.add(report) }
          }
          scanner.assumeIsolated {
            $0.start()
            $0.scan(ScanWindow())
          }
          return scanner
        }
      }
      let phones = ["one", "two"].map { Phone(on: air, named: $0) }
      for phone in phones {
        phone.launch(
          AppDefinition(
            "org.example.captured", localName: nil, advertising: [BluetoothUUID(bits: 1)],
            services: [ServiceDefinition(uuid: BluetoothUUID(bits: 1), characteristics: [])]))
        phone.moveToBackground()
      }
      var found: [String: [String]] = [:]
      for _ in 0..<3 {
        let earlier = reports.elements.count
        await air.advance(by: .seconds(5))
        for phone in phones {
          let last = reports.elements.dropFirst(earlier).last { "\($0.address)" == phone.address }
          found[phone.name, default: []].append(Hex.string(try #require(last).data))
        }
        await air.advance(by: .seconds(900))
      }
      withExtendedLifetime(scanner) {}
      return found
    }
    let found = try await items(seed: 7)
    let all = found.values.joined()
    #expect(all.count == 6 && Set(all).count == 6)
    #expect(all.allSatisfy { $0.hasPrefix("02011A020A0C0CFF4C0010077B1F") && $0.hasSuffix("38") && $0.count == 38 })
    #expect(try await items(seed: 7) == found)
  }
}
