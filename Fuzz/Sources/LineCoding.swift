import BleperaAppLink

/// Requires that a message is one line, and is read as it was written.
func requireCoding<Message: JSONLineValue & Hashable>(of message: Message) {
  let line = JSONLine.encode(message)
  require(line.last == UInt8(ascii: "\n") && line.dropLast().firstIndex(of: UInt8(ascii: "\n")) == nil, "one line")
  require((try? JSONLine.decode(Message.self, line)) == message, "\(Message.self): a message is read as it was written")
}

/// The message of a line; nil if the line is not a message.
func checkedMessage<Message: JSONLineValue & Hashable>(_ type: Message.Type, _ line: [UInt8]) -> Message? {
  guard let message = try? JSONLine.decode(type, line) else { return nil }
  requireCoding(of: message)
  return message
}
