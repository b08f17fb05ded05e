import BleperaBluetooth
import BleperaHost
import BleperaRadio
import Testing

@testable import BleperaHostRadio

@Suite("What a radio advertises")
struct AdvertisingStateTests {
  private static let first = AdvertisementID(1)
  private static let second = AdvertisementID(2)

  @Test(
    "Nothing in place of nothing is no change", arguments: [(false, false), (false, true), (true, false), (true, true)])
  func changes(isAdvertising: Bool, isToAdvertise: Bool) {
    var state = AdvertisingState(beacon: nil)
    let advertisement = PhoneStage.advertisement("phone")
    _ = state.set(isAdvertising ? advertisement : nil)
    let hasChanged = state.set(isToAdvertise ? advertisement : nil)
    #expect(hasChanged == (isAdvertising || isToAdvertise))
    #expect((state.advertisement != nil) == isToAdvertise)
  }

  @Test("Only the latest change has an effect")
  func latest() {
    var state = AdvertisingState(beacon: nil)
    let changes = [false, true].map { state.beginChange(isReported: $0) }
    #expect(changes.map { state.isLatest($0) } == [false, true])
  }

  @Test("The beginning is reported once, and only of a change that is to be reported", arguments: [false, true])
  func reports(isReported: Bool) {
    var state = AdvertisingState(beacon: nil)
    _ = state.beginChange(isReported: isReported)
    _ = state.beginChange(isReported: false)
    state.start(Self.first)
    let reports = [Self.second, Self.first, Self.first].map { state.began($0) }
    #expect(reports == [false, isReported, false])
  }

  @Test("An advertisement is on the air until it ends or fails, but not because of one that it has replaced")
  func ends() {
    var state = AdvertisingState(beacon: nil)
    state.start(Self.first)
    state.start(Self.second)
    let failures = [Self.first, Self.second, Self.second].map { state.failed($0) }
    #expect(failures == [false, true, false] && !state.isOnAir)
    state.start(Self.first)
    #expect(state.isOnAir)
    let ended = [state.end(), state.end()]
    #expect(ended == [Self.first, nil] && !state.isOnAir)
  }
}
