package import BleperaDBus

/// The interfaces that a peripheral exports for bluetoothd (BlueZ doc/org.bluez.GattService.rst and similar files).
extension InterfaceDescription {
  package static let gattService = InterfaceDescription(
    BlueZName.gattService,
    properties: [
      PropertyDescription("UUID", .string, emitsChanged: .constant),
      PropertyDescription("Primary", .boolean, emitsChanged: .constant),
      PropertyDescription("Includes", .array(.objectPath), emitsChanged: .constant),
      PropertyDescription("Handle", .uint16, .readWrite, emitsChanged: .nothing),
    ])

  package static let gattCharacteristic = InterfaceDescription(
    BlueZName.gattCharacteristic,
    methods: [
      MethodDescription("ReadValue", in: ["options": "a{sv}"], out: ["value": "ay"]),
      MethodDescription("WriteValue", in: ["value": "ay", "options": "a{sv}"]),
      MethodDescription("AcquireNotify", in: ["options": "a{sv}"], out: ["fd": "h", "mtu": "q"]),
      MethodDescription("StartNotify", noReply: true),
      MethodDescription("StopNotify", noReply: true),
      MethodDescription("Confirm", noReply: true),
    ],
    properties: [
      PropertyDescription("UUID", .string, emitsChanged: .constant),
      PropertyDescription("Service", .objectPath, emitsChanged: .constant),
      PropertyDescription("Flags", .array(.string), emitsChanged: .constant),
      PropertyDescription("Handle", .uint16, .readWrite, emitsChanged: .nothing),
      PropertyDescription("NotifyAcquired", .boolean),
      PropertyDescription("Value", .array(.byte)),
    ])

  package static let gattDescriptor = InterfaceDescription(
    BlueZName.gattDescriptor,
    methods: [
      MethodDescription("ReadValue", in: ["options": "a{sv}"], out: ["value": "ay"]),
      MethodDescription("WriteValue", in: ["value": "ay", "options": "a{sv}"]),
    ],
    properties: [
      PropertyDescription("UUID", .string, emitsChanged: .constant),
      PropertyDescription("Characteristic", .objectPath, emitsChanged: .constant),
      PropertyDescription("Flags", .array(.string), emitsChanged: .constant),
      PropertyDescription("Handle", .uint16, .readWrite, emitsChanged: .nothing),
    ])

  package static let advertisement = InterfaceDescription(
    BlueZName.advertisement,
    methods: [MethodDescription("Release", noReply: true)],
    properties: [
      PropertyDescription("Type", .string, emitsChanged: .constant),
      PropertyDescription("ServiceUUIDs", .array(.string), emitsChanged: .constant),
      PropertyDescription("LocalName", .string, emitsChanged: .constant),
      PropertyDescription("Discoverable", .boolean, emitsChanged: .constant),
      PropertyDescription(
        "ManufacturerData", .dictionary(key: .uint16, value: .variant), emitsChanged: .constant),
      PropertyDescription(
        "ScanResponseManufacturerData", .dictionary(key: .uint16, value: .variant), emitsChanged: .constant),
      PropertyDescription("MinInterval", .uint32, emitsChanged: .constant),
      PropertyDescription("MaxInterval", .uint32, emitsChanged: .constant),
      // bluetoothd sets TxPower on controllers with extended advertising, whether the property exists or not; a change
      // signal would make bluetoothd set TxPower again, in an endless loop.
      PropertyDescription("TxPower", .int16, .readWrite, emitsChanged: .nothing),
    ])

  package static let agent = InterfaceDescription(
    BlueZName.agent,
    methods: [
      MethodDescription("Release"),
      MethodDescription("RequestPinCode", in: ["device": "o"], out: ["pincode": "s"]),
      MethodDescription("DisplayPinCode", in: ["device": "o", "pincode": "s"]),
      MethodDescription("RequestPasskey", in: ["device": "o"], out: ["passkey": "u"]),
      MethodDescription("DisplayPasskey", in: ["device": "o", "passkey": "u", "entered": "q"]),
      MethodDescription("RequestConfirmation", in: ["device": "o", "passkey": "u"]),
      MethodDescription("RequestAuthorization", in: ["device": "o"]),
      MethodDescription("AuthorizeService", in: ["device": "o", "uuid": "s"]),
      MethodDescription("Cancel"),
    ])
}
