import BenchmarkSupport
import BleperaBluetooth

/// Measures the time to compute the overflow bit of a UUID of 16 and of 128 bits.
func measureOverflowBits() async {
  let short = (0..<1000).map { BluetoothUUID(UInt16($0)) }
  let long = (0..<1000).map { BluetoothUUID(bits: 1 << 127 + UInt128($0)) }
  for (bits, uuids) in [(16, short), (128, long)] {
    var times: [Double] = []
    for _ in 0..<5 {
      var sum = 0
      let time = await processorTime { for _ in 0..<20 { for uuid in uuids { sum += OverflowArea.bit(of: uuid) } } }
      precondition(sum > 0, "not every bit is the first")
      times.append(time.nanoseconds(for: 20 * uuids.count))
    }
    report("overflow bit", ["bits": Double(bits), "time": median(times)])
  }
}
