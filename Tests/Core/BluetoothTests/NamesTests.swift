import BleperaBluetooth
import Testing

@Suite struct NamesTests {
  @Test(
    "A property has Core Bluetooth's name and bit",
    arguments: [
      ("broadcast", 0x001 as UInt16), ("read", 0x002), ("writeWithoutResponse", 0x004), ("write", 0x008),
      ("notify", 0x010), ("indicate", 0x020), ("authenticatedSignedWrites", 0x040), ("extendedProperties", 0x080),
      ("notifyEncryptionRequired", 0x100), ("indicateEncryptionRequired", 0x200),
    ])
  func property(_ name: String, bit: UInt16) {
    #expect(CharacteristicProperties(named: name)?.rawValue == bit)
    #expect(CharacteristicProperties(rawValue: bit).memberNames == [name])
  }

  @Test(
    "A permission has Core Bluetooth's name and bit",
    arguments: [
      ("readable", 0x01 as UInt16), ("writeable", 0x02), ("readEncryptionRequired", 0x04),
      ("writeEncryptionRequired", 0x08),
    ])
  func permission(_ name: String, bit: UInt16) {
    #expect(AttributePermissions(named: name)?.rawValue == bit)
    #expect(AttributePermissions(rawValue: bit).memberNames == [name])
  }

  @Test("A name that is none is refused", arguments: ["", "Read", "writable", "reads", "read "])
  func unknownName(_ name: String) {
    #expect(CharacteristicProperties(named: name) == nil)
    #expect(AttributePermissions(named: name) == nil)
  }

  @Test("Options are printed in the order of their bits, unknown bits not at all")
  func printed() {
    #expect(CharacteristicProperties([.notify, .read]).description == "read, notify")
    #expect(CharacteristicProperties([]).description.isEmpty)
    #expect(CharacteristicProperties(rawValue: 0x8002).description == "read")
  }

  @Test(
    "A permission that needs encryption still allows",
    arguments: [
      ([], false, false),
      (.readable, true, false),
      (.writeable, false, true),
      (.readEncryptionRequired, true, false),
      (.writeEncryptionRequired, false, true),
      ([.readable, .writeEncryptionRequired], true, true),
    ] as [(AttributePermissions, Bool, Bool)])
  func allows(_ permissions: AttributePermissions, reading: Bool, writing: Bool) {
    #expect(permissions.allowsReading == reading)
    #expect(permissions.allowsWriting == writing)
  }

  @Test(
    "An ATT error has the code of the specification and is printed with its name",
    arguments: [
      (ATTError.invalidHandle, "0x01 invalidHandle"), (.readNotPermitted, "0x02 readNotPermitted"),
      (.writeNotPermitted, "0x03 writeNotPermitted"), (.invalidPdu, "0x04 invalidPdu"),
      (.insufficientAuthentication, "0x05 insufficientAuthentication"),
      (.requestNotSupported, "0x06 requestNotSupported"), (.invalidOffset, "0x07 invalidOffset"),
      (.insufficientAuthorization, "0x08 insufficientAuthorization"), (.prepareQueueFull, "0x09 prepareQueueFull"),
      (.attributeNotFound, "0x0A attributeNotFound"), (.attributeNotLong, "0x0B attributeNotLong"),
      (.insufficientEncryptionKeySize, "0x0C insufficientEncryptionKeySize"),
      (.invalidAttributeValueLength, "0x0D invalidAttributeValueLength"), (.unlikelyError, "0x0E unlikelyError"),
      (.insufficientEncryption, "0x0F insufficientEncryption"),
      (.unsupportedGroupType, "0x10 unsupportedGroupType"),
      (.insufficientResources, "0x11 insufficientResources"), (.databaseOutOfSync, "0x12 databaseOutOfSync"),
      (.valueNotAllowed, "0x13 valueNotAllowed"), (.writeRequestRejected, "0xFC writeRequestRejected"),
      (.cccdImproperlyConfigured, "0xFD cccdImproperlyConfigured"),
      (.procedureAlreadyInProgress, "0xFE procedureAlreadyInProgress"), (.outOfRange, "0xFF outOfRange"),
      (ATTError(rawValue: 0x81), "0x81"), (ATTError(rawValue: 0x00), "0x00"),
    ])
  func attError(_ error: ATTError, printed: String) {
    #expect(error.description == printed)
  }

  @Test("Every name stands once in its table")
  func unique() {
    #expect(Set(ATTError.names.map(\.name)).count == ATTError.names.count)
    #expect(Set(ATTError.names.map(\.error)).count == ATTError.names.count)
    #expect(Set(CharacteristicProperties.names.map(\.name)).count == 10)
    #expect(Set(AttributePermissions.names.map(\.name)).count == 4)
  }

  @Test(
    "A UUID of the Bluetooth SIG has the name of Assigned Numbers, whatever its width",
    arguments: [
      ("180D", "Heart Rate"), ("0000180D", "Heart Rate"),
      ("00002A37-0000-1000-8000-00805F9B34FB", "Heart Rate Measurement"),
      ("2902", "Client Characteristic Configuration"), ("FD6F", nil), ("0001180D", nil),
      ("1FA2FD8A-17E0-4D3B-AF45-305DA6130E39", nil),
    ])
  func assignedName(uuid: String, name: String?) {
    #expect(BluetoothUUID(uuid)?.assignedName == name)
  }

  @Test("The codes that an app may choose are 0x80 to 0x9F")
  func applicationRange() {
    #expect(ATTError.applicationRange == 0x80...0x9F)
  }
}
