import BleperaBlueZ
import Testing

@Suite("Registrations with random events")
struct RegistrationMachinePropertyTests {
  @Test("After any sequence of events exactly the requested items are registered")
  func random() {
    var everRegistered = 0
    for seed in 0..<2000 as Range<UInt64> {
      var model = DaemonModel(seed: seed)
      for _ in 0..<60 { model.step() }
      guard model.settle() else {
        Issue.record("seed \(seed): it does not come to rest")
        continue
      }
      let wanted = model.wanted
      everRegistered += wanted.count
      #expect(model.registered == wanted, "seed \(seed)")
      #expect(model.onAir == wanted.filter(\.isAdvertisement), "seed \(seed)")
      #expect(wanted.allSatisfy { model.machine.isRegistered($0) }, "seed \(seed)")
      model.unwantAll()
      let isSettled = model.settle()
      #expect(isSettled && model.registered.isEmpty && model.machine.isSettled, "seed \(seed)")
      #expect(model.faults == [], "seed \(seed)")
      if model.faults != [] { return }
    }
    #expect(everRegistered > 4000)
  }
}
