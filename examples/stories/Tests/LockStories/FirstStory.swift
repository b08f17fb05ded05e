import BleperaTesting
import Testing

@Test(.traced) func lockIsFoundInTheBackground() async {
  let (air, lock) = (Air(), BluetoothUUID(0x1815 as UInt16))
  let (phone, gateway) = (Phone(on: air), Central(on: air))
  phone.launch(AppDefinition("org.example.lock", localName: "Lock", services: [ServiceDefinition(uuid: lock)]))
  #expect(await gateway.discovers(.localName("Lock"), within: .seconds(3)))
  phone.moveToBackground()
  #expect(await gateway.discovers(.overflow(lock), within: .seconds(3)))
}
