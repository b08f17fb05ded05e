import Testing

@testable import BleperaAppLink

@Suite("The places of a phone's connections")
struct ConnectionPlacesTests {
  /// All places are taken, the first at 0 s, the next at 1 ms and so on.
  private static func full() -> ConnectionPlaces {
    var places = ConnectionPlaces()
    for id in 0..<ConnectionPlaces.count {
      #expect(places.admit(id, at: .milliseconds(id)) == .admitted)
    }
    return places
  }

  @Test("A new connection gets the place of the one that has been silent longest, after ten seconds")
  func silent() {
    var places = Self.full()
    #expect(places.admit(1000, at: .milliseconds(9999)) == .refused)
    #expect(places.admit(1000, at: .seconds(10)) == .inPlace(of: 0))
    #expect(places.admit(1001, at: .seconds(10)) == .refused)
    #expect(places.admit(1001, at: .milliseconds(10_001)) == .inPlace(of: 1))
    // The new ones are silent too, but not for long.
    for id in 2..<ConnectionPlaces.count { #expect(places.admit(1000 + id, at: .seconds(15)) == .inPlace(of: id)) }
    #expect(places.admit(2000, at: .seconds(15)) == .refused)
    #expect(places.admit(2000, at: .seconds(20)) == .inPlace(of: 1000))
  }

  @Test("One that has sent a line keeps its place")
  func speaking() {
    var places = Self.full()
    for id in 0..<ConnectionPlaces.count where id != 7 { places.hasSpoken(id) }
    #expect(places.admit(1000, at: .seconds(20)) == .inPlace(of: 7))
    places.hasSpoken(1000)
    #expect(places.admit(1001, at: .seconds(1000)) == .refused)
  }

  @Test("The place of a closed connection is free", arguments: [true, false])
  func leaving(hasSpoken: Bool) {
    var places = Self.full()
    if hasSpoken { places.hasSpoken(3) }
    places.leave(3)
    #expect(places.admit(1000, at: .seconds(1)) == .admitted)
    #expect(places.admit(1001, at: .seconds(1)) == .refused)
  }
}
