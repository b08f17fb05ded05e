import BleperaBluetooth
import BleperaRadio

/// The phone's own services: requests never reach an app, and events of them name no app.
extension EmulatedPhone {
  /// Publishes what every central discovers, before the services of apps.
  func publishOpenServices() {
    if let phoneServices { publish(phoneServices.open) }
  }

  /// Publishes the services for paired centrals once a central is paired; they stay, as bonded centrals cache them.
  func publishPairedServices() {
    if let services = phoneServices?.publishPaired(), !services.isEmpty { publish(services) }
  }

  private func publish(_ services: [RadioService]) {
    withRadio { radio in
      let others = radio.stackServices
      radio.publish(services.filter { !others.contains($0.definition.uuid) })
    }
  }

  /// Reports that a service cannot be published; success is no event, because the service is not an app's.
  func ownServiceFailed(at handle: AttributeHandle, _ failure: RadioFailure) {
    guard let service = phoneServices?.service(at: handle) else { return }
    report(.publishingFailed(service: service.uuid, reason: "\(failure)"))
  }

  func read(_ found: PhoneServices.Attribute, _ request: AttributeRequest) {
    let date = today
    let result = Result { () throws(ATTError) in
      try AttributeValue.slice(PhoneServices.read(found.definition, at: date), from: request.offset)
    }
    answer(request, .read(nil, found.name), result, isCached: true)
  }

  /// Writes to the phone's own characteristics; the pieces of a value are joined.
  func writeOwn(_ writes: [AttributeWrite]) -> Result<[UInt8], ATTError> {
    var values: [AttributeWrite] = []
    for write in writes {
      if values.last?.handle == write.handle {
        values[values.count - 1].value += write.value
      } else {
        values.append(write)
      }
    }
    return Result { () throws(ATTError) -> [UInt8] in
      for write in values {
        guard let found = phoneServices?.attribute(write.handle) else { throw .invalidHandle }
        try PhoneServices.write(write.value, to: found.definition)
      }
      return []
    }
  }
}
