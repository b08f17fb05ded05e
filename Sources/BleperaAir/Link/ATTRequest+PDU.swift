import BleperaBluetooth
import BleperaHost

/// The air's own requests as PDUs.
extension ATTRequest {
  var pdu: ATTPDU {
    switch self {
    case .read(let handle): .readRequest(handle)
    case .readBlob(let handle, let offset): .readBlobRequest(handle, offset: offset)
    case .write(let handle, let value): .writeRequest(handle, value)
    case .command(let handle, let value): .writeCommand(handle, value)
    case .prepare(let handle, let offset, let value):
      .prepareWriteRequest(AttributeWrite(handle: handle, offset: offset, value: value))
    case .execute(let isWanted): .executeWriteRequest(isWanted)
    }
  }
}

extension ATTPDU {
  /// The response to this request.
  ///
  /// - Parameter result: the value of a read, else nothing.
  func answer(_ result: Result<[UInt8], ATTError>, mtu: Int) -> ATTPDU {
    switch (self, result) {
    case (.readRequest(let handle), .failure(let error)), (.readBlobRequest(let handle, _), .failure(let error)),
      (.writeRequest(let handle, _), .failure(let error)):
      self.error(error, at: handle)
    case (.prepareWriteRequest(let write), .failure(let error)): self.error(error, at: write.handle)
    case (.readByTypeRequest(let range, _), .failure(let error)): self.error(error, at: range.lowerBound)
    case (_, .failure(let error)): self.error(error)
    case (.readRequest, .success(let value)): .readResponse(value)
    case (.readBlobRequest, .success(let value)): .readBlobResponse(value)
    case (.readByTypeRequest(let range, _), .success(let value)):
      AttributeSearch([], mtu: mtu).readByTypeResponse(range.lowerBound, value)
    case (.prepareWriteRequest(let write), .success): .prepareWriteResponse(write)
    case (.executeWriteRequest, .success): .executeWriteResponse
    case (_, .success): .writeResponse
    }
  }

  static func value(_ handle: AttributeHandle, _ value: [UInt8], isIndication: Bool) -> ATTPDU {
    isIndication ? .handleValueIndication(handle, value) : .handleValueNotification(handle, value)
  }
}

extension AttributeDatabase {
  /// The value of Service Changed: all handles (Core Specification, Vol 3, Part G, 7.1).
  static let allHandles: [UInt8] = [0x01, 0x00, 0xFF, 0xFF]

  /// The attributes as a client searches them.
  func searched(_ value: (DatabaseAttribute) -> ATTAttribute.Value) -> [ATTAttribute] {
    services.flatMap { service in
      service.attributes.map { attribute in
        ATTAttribute(
          handle: attribute.handle, end: attribute.handle == service.range.lowerBound ? service.range.upperBound : nil,
          type: attribute.type, value: value(attribute))
      }
    }
  }
}
