import BleperaAppLink
import FoundationEssentials

/// Requires that a line is read and written by `JSONLine` as by `JSONDecoder` and `JSONEncoder`.
func checkedMessage<Message: JSONLineValue & Hashable>(_ type: Message.Type, _ line: [UInt8]) -> Message? {
  let message = try? JSONLine.decode(type, line)
  let reference = try? JSONDecoder().decode(type, from: Data(line))
  require(message == reference, "\(type): the fast reader reads what JSONDecoder reads")
  guard let message else { return nil }
  requireCoding(of: message)
  return message
}

func requireCoding<Message: JSONLineValue & Hashable>(of message: Message) {
  let line = JSONLine.encode(message)
  require(line.last == UInt8(ascii: "\n") && line.dropLast().firstIndex(of: UInt8(ascii: "\n")) == nil, "one line")
  require((try? JSONLine.decode(Message.self, line)) == message, "\(Message.self): a message is read as it was written")
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  guard let reference = try? encoder.encode(message) else { return require(false, "a message can be written") }
  require(Array(reference) == line.dropLast(), "\(Message.self): the fast writer writes what JSONEncoder writes")
}
