import CoreBluetooth
import CoreFoundation
import Testing

@Suite("Core Bluetooth's values")
struct ValueTests {
  @Test(
    "Strings that apps use as literals",
    arguments: [
      (CBAdvertisementDataLocalNameKey, "kCBAdvDataLocalName"),
      (CBAdvertisementDataServiceUUIDsKey, "kCBAdvDataServiceUUIDs"),
      (CBPeripheralManagerRestoredStateServicesKey, "kCBRestoredServices"),
      (CBPeripheralManagerOptionRestoreIdentifierKey, "kCBInitOptionRestoreIdentifier"),
      (CBErrorDomain, "CBErrorDomain"), (CBATTErrorDomain, "CBATTErrorDomain"),
      (CBUUIDCharacteristicUserDescriptionString, "2901"), (CBUUIDCharacteristicFormatString, "2904"),
    ])
  func constants(_ constant: String, _ value: String) { #expect(constant == value) }

  @Test("Raw values of enumerations and options")
  func rawValues() {
    #expect(
      (0...5).map { CBManagerState(rawValue: $0) } == [
        .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn,
      ])
    #expect(
      (0...3).map { CBManagerAuthorization(rawValue: $0) } == [
        .notDetermined, .restricted, .denied, .allowedAlways,
      ])
    #expect(CBPeripheralManagerState.poweredOn.rawValue == 5)
    #expect(CBCentralManagerState.poweredOff.rawValue == 4)
    #expect(CBPeripheralManagerAuthorizationStatus.authorized.rawValue == 3)
    #expect(CBPeripheralManagerConnectionLatency.high.rawValue == 2)
    #expect(CBError.Code.uuidNotAllowed.rawValue == 8)
    #expect(CBError.Code.alreadyAdvertising.rawValue == 9)
    #expect(CBError.Code.unknownDevice == .unkownDevice)
    #expect(CBError.Code.tooManyLEPairedDevices.rawValue == 16)
    #expect(CBATTError.success.rawValue == 0)
    #expect(CBATTError.invalidOffset.rawValue == 7)
    #expect(CBATTError.insufficientResources.rawValue == 0x11)
    #expect(CBCharacteristicProperties([.read, .notify, .indicateEncryptionRequired]).rawValue == 0x212)
    #expect(CBAttributePermissions([.readable, .writeEncryptionRequired]).rawValue == 9)
  }

  @Test("An application's own error code is a code, as an imported enumeration accepts every number")
  func ownCode() {
    #expect(CBATTError.Code(rawValue: 0x80)?.rawValue == 0x80)
    #expect(CBATTError.Code(rawValue: 3) == .writeNotPermitted)
  }

  @Test("Errors are thrown, caught by code and bridged as apps do")
  func errors() throws {
    do {
      throw CBATTError(.invalidPdu)
    } catch CBATTError.invalidOffset {
      Issue.record("another code")
    } catch CBATTError.invalidPdu {
      // The error has to be caught here.
    }
    let error: any Error = CBError(.alreadyAdvertising)
    #expect((error as? CBError)?.code == .alreadyAdvertising)
    #expect((error as NSError).domain == "CBErrorDomain")
    #expect((error as NSError).code == 9)
    #expect(error.localizedDescription == "Advertising has already started.")
    #expect(CBError(.unknown) == CBError(.unknown))
    #expect(CBError(.unknown, userInfo: ["a": 1]) != CBError(.unknown))
  }

  @Test(
    "An ATT error has the text that apps show on iOS",
    arguments: [
      (1, "The handle is invalid."), (2, "Reading is not permitted."), (3, "Writing is not permitted."),
      (4, "The command is invalid."), (5, "Authentication is insufficient."), (6, "The request is not supported."),
      (7, "The offset is invalid."), (8, "Authorization is insufficient."), (9, "The prepare queue is full."),
      (10, "The attribute could not be found."), (11, "The attribute is not long."),
      (12, "The encryption key size is insufficient."), (13, "The value's length is invalid."),
      (14, "Unlikely error."), (15, "Encryption is insufficient."), (16, "The group type is unsupported."),
      (17, "Resources are insufficient."), (18, "Unknown ATT error."), (0x80, "Unknown ATT error."),
    ])
  func attributeErrors(_ code: Int, _ text: String) throws {
    let error: any Error = CBATTError(try #require(CBATTError.Code(rawValue: code)))
    #expect(error.localizedDescription == text)
    #expect((error as NSError).localizedDescription == text)
  }

  @Test(
    "UUIDs are equal by their 128-bit form, and keep their width",
    arguments: [
      ("180D", "180D", 2), ("0000180d", "0000180D", 4),
      ("0000180D-0000-1000-8000-00805F9B34FB", "0000180D-0000-1000-8000-00805F9B34FB", 16),
    ])
  func widths(_ text: String, _ printed: String, _ count: Int) throws {
    let uuid = CBUUID(string: text)
    #expect(uuid.uuidString == printed)
    #expect(uuid.data.count == count)
    #expect(CBUUID(data: uuid.data).uuidString == printed)
    #expect(uuid == CBUUID(string: "180D"))
    #expect(uuid.hash == CBUUID(string: "180D").hash)
    #expect(Set([uuid, CBUUID(string: "180D")]).count == 1)
    #expect([CBUUID(string: "180D"): 1][uuid] == 1)
    #expect(uuid.isEqual(CBUUID(string: "180D")) && !uuid.isEqual("180D"))
    switch uuid {
    case CBUUID(string: "180D"): break
    default: Issue.record("not matched in a switch")
    }
  }

  @Test("UUIDs of Foundation")
  func foundation() throws {
    let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    let uuid = try #require(UUID(uuidString: text))
    #expect(CBUUID(nsuuid: uuid).uuidString == text)
    #expect(CBUUID(cfuuid: CFUUIDCreateFromUUIDBytes(nil, Self.bytes(of: uuid))).uuidString == text)
    #expect(CBUUID(string: "180D").data == Data([0x18, 0x0D]))
  }

  private static func bytes(of uuid: UUID) -> CFUUIDBytes { unsafe unsafeBitCast(uuid.uuid, to: CFUUIDBytes.self) }

  @Test("Attributes know what they belong to, weakly")
  func owners() {
    let descriptor = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "state")
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "2A56"), properties: [.read], value: nil, permissions: [.readable])
    characteristic.descriptors = [descriptor]
    var service: CBMutableService? = CBMutableService(type: CBUUID(string: "1815"), primary: true)
    service?.characteristics = [characteristic]
    #expect(descriptor.characteristic === characteristic)
    #expect(characteristic.service === service)
    #expect(service?.isPrimary == true && service?.peripheral == nil)
    service = nil
    #expect(characteristic.service == nil)
  }

  @Test("Deprecated types are types of their own, which apps extend")
  func deprecated() {
    #expect(CBPeripheralManagerState.poweredOn.word == "old" && CBManagerState.poweredOn.word == "new")
    #expect(CBPeripheralManager.authorizationStatus() == .authorized)
    #expect(CBCentralManager.authorization == .allowedAlways)
  }
}

extension CBManagerState {
  fileprivate var word: String { "new" }
}

extension CBPeripheralManagerState {
  fileprivate var word: String { "old" }
}
