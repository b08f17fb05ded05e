import BenchmarkSupport
import BleperaBluetooth
import BleperaRules

/// Measures the time of a plan of the phone's advertisements; half of the apps are in the background.
func measurePlans(apps: Int) async {
  let advertisers = (0..<apps).map { number in
    Advertiser(
      app: AppID(rawValue: number), state: number.isMultiple(of: 2) ? .foreground : .background,
      hasBackgroundMode: true, fields: requestedAdvertisement(number))
  }
  let count = 2_000
  var times: [Double] = []
  for _ in 0..<5 {
    var onAir = 0
    let time = await processorTime {
      for _ in 0..<count { onAir += AdvertisementPlanner.plan(advertisers, rules: .newest).phone == nil ? 0 : 1 }
    }
    precondition(onAir == count, "every plan has an advertisement")
    times.append(time.nanoseconds(for: count))
  }
  report("plan", ["apps": Double(apps), "time": median(times)])
}

/// A name and two services, of 16 and of 128 bits.
func requestedAdvertisement(_ number: Int) -> AdvertisementData {
  AdvertisementData(
    localName: "App \(number)",
    serviceUUIDs: [BluetoothUUID(0x180D as UInt16), BluetoothUUID(bits: 1 << 127 + UInt128(number))])
}
