import BleperaTesting
import Testing

@Test(.traced) func gatewayFindsTheSensor() async {
  let (air, service) = (Air(), BluetoothUUID(Sensor.service)!)
  let (phone, gateway) = (Phone(on: air), Central(on: air, named: "gateway"))
  phone.launch("org.example.sensor") { Sensor() }
  #expect(await gateway.discovers(.service(service), within: .seconds(3)))
  phone.moveToBackground()
  #expect(await gateway.discovers(.overflow(service), within: .seconds(3)))
}
