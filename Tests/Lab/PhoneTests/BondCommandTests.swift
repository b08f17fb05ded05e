import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("The user forgets devices")
struct BondCommandTests {
  private static let (own, privateOne, other) = ("C0:00:00:00:00:01", "5A:00:00:00:00:02", "00:11:22:33:44:55")
  private static let identity = "00:AA:01:00:00:02"
  private static let bonds = [
    RadioBond(address: own, isConnected: true),
    RadioBond(address: privateOne, identity: identity, isConnected: false),
    RadioBond(address: other, isOwn: false, isConnected: false),
  ]

  @Test(
    "A device is named by its identity address; without one, all that the phone has bonded with are forgotten",
    arguments: [
      (own, nil, [privateOne, other]), (own.lowercased(), nil, [privateOne, other]), (identity, nil, [own, other]),
      (other, nil, [own, privateOne]), (nil, nil, [other]),
      (
        "nobody", "no bond with 'nobody'. Bonds: \(own), \(identity), \(other).", [own, privateOne, other]
      ),
      (privateOne, "no bond with '\(privateOne)'. Bonds: \(own), \(identity), \(other).", [own, privateOne, other]),
    ] as [(String?, String?, [String])])
  func forget(device: String?, error: String?, left: [String]) throws {
    try ScriptedRadio.run { phone, radio, _ in
      await radio.keep(Self.bonds)
      let status = await phone.status().bonds
      #expect(status?.map(\.address) == [Self.own, Self.identity, Self.other])
      #expect(status?.map(\.role) == ["central", "central", nil])
      #expect(await phone.perform(ControlRequest(.forgetBonds, device: device)).error == error)
      #expect(await radio.bonds.map(\.address) == left)
    }
  }

  @Test("A central that uses a key that the phone does not have is listed with its cure, until both have new keys")
  func unknownKey() throws {
    try ScriptedRadio.run { phone, radio, _ in
      #expect(await phone.status().bonds == nil)
      for _ in 0..<2 { await radio.reportNow([.keysUnknown(ScriptedRadio.central)]) }
      let bond = try #require(await phone.status().bonds?.first)
      #expect((bond.address, bond.problem) == (Self.other, .phoneHasNoKeys))
      #expect(bond.advice == BondProblem.phoneHasNoKeys.advice(for: Self.other))
      await radio.keep([RadioBond(address: Self.other, isConnected: true)])
      await radio.reportNow([.bonded(ScriptedRadio.central)])
      #expect(await phone.status().bonds?.map(\.problem) == [nil])
    }
  }
}
