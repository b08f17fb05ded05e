package import BleperaBluetooth
package import BleperaPropertyLists

/// A device that is no phone, as a property list describes it.
package struct AccessoryDescription: Hashable, Sendable {
  /// The two packets, of at most 31 bytes each.
  package struct Advertisement: Hashable, Sendable {
    package var data: [UInt8] = []
    package var scanResponse: [UInt8] = []
    /// The default is an interval of Apple's guidelines for accessories (QA1931).
    package var interval = Duration.microseconds(152_500)

    package init() {}
  }

  /// The Device Name.
  package var name: String
  package var advertisement = Advertisement()
  package var address = AccessoryAddressKind.public
  package var pairing = AccessoryPairing.justWorks
  package var bonding = AccessoryBonding()
  /// Assigned Numbers, 2.6; 0 is unknown.
  package var appearance: UInt16 = 0
  /// The services and channels of the device; the rest of the profile is for apps.
  package var profile = Profile()

  package init(name: String) { self.name = name }

  /// False for a device without services and channels, which is a broadcaster.
  package var isConnectable: Bool {
    address != .nonresolvable && !(profile.services.isEmpty && profile.channels.isEmpty)
  }
}

extension AccessoryDescription.Advertisement {
  /// Creates the packets of a device: structures that do not fit into the advertisement are in the scan response. Nil
  /// if they do not fit into both.
  package init?(
    localName: String? = nil, serviceUUIDs: [BluetoothUUID] = [], appearance: UInt16 = 0,
    serviceData: [(uuid: BluetoothUUID, data: [UInt8])] = [], manufacturerData: [UInt8]? = nil
  ) {
    var structures: [ADStructure] = [.flags([.generalDiscoverable, .brEdrNotSupported])]
    structures += UUIDList.lists(of: serviceUUIDs).map { .serviceUUIDs($0, complete: true) }
    if appearance != 0 { structures.append(.appearance(appearance)) }
    structures += serviceData.map { .serviceData($0.uuid, data: $0.data) }
    if let manufacturerData { structures.append(ADStructure(type: ADType.manufacturerData, payload: manufacturerData)) }
    if let localName { structures.append(.completeLocalName(localName)) }
    for structure in structures {
      if data.count + structure.length <= AdvertisingBudget.legacyMaximum {
        data += structure.bytes
      } else if scanResponse.count + structure.length <= AdvertisingBudget.legacyMaximum {
        scanResponse += structure.bytes
      } else {
        return nil
      }
    }
  }
}

extension AccessoryDescription {
  /// Reads and checks a property list: an accessory's own, or a profile, whose services and advertisement it has.
  ///
  /// - Parameter file: The name of the file in diagnostics; without its folder and `.plist` the name of an accessory
  ///   that has none.
  ///
  /// - Returns: the accessory, nil where a diagnostic is an error, and all diagnostics, sorted by position.
  package static func check(
    _ bytes: [UInt8], file: String
  ) -> (accessory: AccessoryDescription?, diagnostics: [Diagnostic]) {
    var faults = FaultList()
    let document = PropertyList.read(bytes, faults: &faults)
    let accessory = document.root.flatMap { check($0, at: .root, name: Profile.name(ofFile: file), &faults) }
    return (faults.hasErrors ? nil : accessory, faults.diagnostics(file: file, lines: document.lines))
  }

  /// Checks an accessory within another property list; the result is meaningless where errors are reported.
  package static func check(
    _ node: PropertyListNode, at path: NodePath, name: String, _ faults: inout FaultList
  ) -> AccessoryDescription? {
    let kind = DocumentKind(node)
    var checker = ProfileChecker(faults: faults, name: name)
    defer { faults = checker.faults }
    switch kind {
    case .accessory, nil: return checker.accessory(node, at: path)
    case .profile: return checker.accessory(ofProfile: node, at: path, name: name)
    case .scenario?, .phone?:
      checker.faults.error(
        at: node.offset, path, found: kind?.description ?? "", expected: "\(DocumentKind.accessory) or a profile")
      return nil
    }
  }
}
