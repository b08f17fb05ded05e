import BleperaBluetooth

extension ATTPDU {
  /// The response to this request.
  ///
  /// - Parameters:
  ///   - result: the value of a read, else nothing.
  ///   - handle: the attribute of an error, of a request that names several.
  func answer(_ result: Result<[UInt8], ATTError>, mtu: Int, at handle: AttributeHandle = 0) -> ATTPDU {
    switch (self, result) {
    case (.readRequest(let handle), .failure(let error)), (.readBlobRequest(let handle, _), .failure(let error)),
      (.writeRequest(let handle, _), .failure(let error)):
      self.error(error, at: handle)
    case (.prepareWriteRequest(let write), .failure(let error)): self.error(error, at: write.handle)
    case (.readByTypeRequest(let range, _), .failure(let error)): self.error(error, at: range.lowerBound)
    case (_, .failure(let error)): self.error(error, at: handle)
    case (.readRequest, .success(let value)): .readResponse(value)
    case (.readBlobRequest, .success(let value)): .readBlobResponse(value)
    case (.readByTypeRequest(let range, _), .success(let value)):
      AttributeSearch([], mtu: mtu).readByTypeResponse(range.lowerBound, value)
    case (.readMultipleRequest, .success(let value)): .readMultipleResponse(value)
    case (.readMultipleVariableRequest, .success(let value)): .readMultipleVariableResponse(value)
    case (.prepareWriteRequest(let write), .success): .prepareWriteResponse(write)
    case (.executeWriteRequest, .success): .executeWriteResponse
    case (_, .success): .writeResponse
    }
  }
}

extension AttributeDatabase {
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
