import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaPhone
import BleperaRadio
import BleperaRecording
import TestSupport
import Testing

@testable import BleperaCLI

@Suite struct EventTests {
  private static let time = Timestamp(seconds: 1_795_269_839, milliseconds: 42)

  @Test(arguments: EventSample.all)
  func `an event is one line of JSON`(sample: EventSample) {
    var record = sample.record
    record.time = "T"
    #expect(record.json == sample.json)
    #expect(!record.json.contains("\n"))
  }

  @Test(arguments: EventSample.all)
  func `an event is read as it was written, its fields in the order of their keys`(sample: EventSample) throws {
    var record = EventRecord(sample.event, of: "org.example.lock")
    record.time = Timestamp.now.date
    #expect(EventRecord(json: JSONLine.encode(record)) == record)
    let keys = record.fields.map(\.key.rawValue)
    #expect(keys == keys.sorted())
    let text = EventText(record, at: Self.time)
    #expect(try JSONLine.decode(EventText.self, JSONLine.encode(text)) == text)
  }

  @Test(arguments: EventSample.all)
  func `an event is one line of text, its parts at the same columns`(sample: EventSample) {
    let line = EventPrinter.text(sample.record, at: Self.time, on: .plain)
    #expect(line == "\(Self.time.clock)  \(sample.text)")
  }

  @Test(arguments: EventSample.all)
  func `color changes nothing but the color`(sample: EventSample) {
    let record = sample.record
    let colored = EventPrinter.text(record, at: Self.time, on: .colored)
    #expect(colored.hasPrefix("\u{1B}[2m\(Self.time.clock)\u{1B}[0m  "))
    #expect(colored.withoutColor == EventPrinter.text(record, at: Self.time, on: .plain))
  }

  @Test(
    arguments: [
      (.radio(.poweredOn(adapter: "hci0")), "\u{1B}[32mpowered on\u{1B}[0m      hci0"),
      (.radio(.noDaemon()), "\u{1B}[31mno bluetoothd\u{1B}[0m"),
      (.connected(EventSample.phone), "\u{1B}[36mconnected\u{1B}[0m       00:11:22:33:44:55"),
      (
        .subscribed(EventSample.phone, EventSample.measurement),
        "\u{1B}[34msubscribed\u{1B}[0m      00:11:22:33:44:55  2A37"
      ),
      (
        .notified([EventSample.phone], EventSample.measurement, value: [1]),
        "\u{1B}[35mnotified\u{1B}[0m        00:11:22:33:44:55  2A37  01"
      ),
      (.passkey(EventSample.phone, 1), "\u{1B}[1mpasskey\u{1B}[0m         00:11:22:33:44:55  000001"),
    ] as [(PhoneEvent, String)])
  func `the word has the color of its kind`(event: PhoneEvent, expected: String) {
    let line = EventPrinter.text(EventRecord(event), at: Self.time, on: .colored)
    #expect(line == "\u{1B}[2m\(Self.time.clock)\u{1B}[0m  " + expected)
  }

  @Test(arguments: EventSample.all)
  func `an event has the keys that its kind always has, and others that it may have`(sample: EventSample) {
    let (always, sometimes) = sample.record.event.keys
    #expect(always.subtracting(sample.keys) == [])
    #expect(sample.keys.subtracting(always.union(sometimes)) == [])
  }

  @Test func `each key of a kind is in a sample`() {
    for (kind, samples) in Dictionary(grouping: EventSample.all, by: \.record.event) {
      let (always, sometimes) = kind.keys
      #expect(samples.reduce([]) { $0.union($1.keys) } == always.union(sometimes), "\(kind)")
    }
  }

  @Test func `the page lists each event with its keys, and nothing that is not there`() throws {
    let listed = try EventTable.events()
    for kind in EventRecord.Kind.allCases {
      let (always, sometimes) = kind.keys
      #expect(listed[kind.rawValue] == Set(always.union(sometimes).map(\.name)), "\(kind)")
    }
    #expect(listed.count == EventRecord.Kind.allCases.count)
  }

  @Test func `every event of a phone has a sample`() {
    let others: Set<EventRecord.Kind> = [.started, .eventsOmitted, .hostAttached, .hostLeft, .hostRefused]
    #expect(Set(EventSample.all.map(\.record.event)) == Set(EventRecord.Kind.allCases).subtracting(others))
  }

  @Test(arguments: [(1, "1 event"), (12, "12 events")])
  func `the number of missing events is printed`(count: Int, words: String) throws {
    var record = EventRecord.omitted(count)
    record.time = "T"
    #expect(record.json == #"{"count":\#(count),"event":"eventsOmitted","time":"T"}"#)
    #expect(EventRecord(json: Array(record.json.utf8)) == record)
    #expect(EventText(record, at: .now).details == "\(words): the output was full")
  }

  @Test(arguments: [(0, "000000"), (7, "000007"), (999_999, "999999")] as [(UInt32, String)])
  func `a passkey has six digits`(passkey: UInt32, digits: String) {
    #expect(EventRecord.digits(passkey) == digits)
  }
}
