extension KeyProblem {
  init(_ error: DecodingError) {
    switch error {
    case .keyNotFound(let key, let context): self.init(context.codingPath + [key], "is missing")
    case .valueNotFound(_, let context): self.init(context.codingPath, "is missing")
    case .typeMismatch(let type, let context): self.init(context.codingPath, "is not of the type \(type)")
    case .dataCorrupted(let context): self.init(context.codingPath, "cannot be taken: \(context.debugDescription)")
    @unknown default: self.init([], "cannot be read")
    }
  }

  private init(_ path: [any CodingKey], _ problem: String) {
    let text = path.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    self.init(path: text.isEmpty ? "its root" : text, problem: problem)
  }
}
