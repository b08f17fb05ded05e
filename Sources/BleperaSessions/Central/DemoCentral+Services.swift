import BleperaBlueZ
import BleperaBluetooth

extension DemoCentral {
  /// Reports the services, and the characteristics of those that belong to an app.
  func list(_ services: [FoundService]) {
    for service in services {
      report(DemoCentralEvent(.found, service))
      for characteristic in service.characteristics where !systemServices.contains(service.uuid) {
        var record = DemoCentralEvent(.found, service, characteristic)
        record.properties = characteristic.properties.memberNames
        report(record)
      }
    }
  }
}
